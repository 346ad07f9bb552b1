/** A database that refuses what a chain writes beside its blocks: nothing has changed then, in the chain or there. */
import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../src/base/bytes.ts'
import { DatabaseHeadError } from '../../src/core/ledger/errors.ts'
import { type ChainOptions, createManualClock, type Hex } from '../../src/index.ts'
import { copyOf, entriesIn, type TestLevel, withFailingWrites } from '../core/ledger/failingDatabase.ts'
import { dump, hashesOf, send, sign } from '../core/sequencer/support.ts'
import { startChain } from '../harness.ts'
import { STRANGER } from '../operations.ts'
import { ask } from '../rpc/scene.ts'

const REFUSED = { code: -32000, message: 'the database cannot be written: disk full' }

/** A chain whose database refuses writes while `disk.isFull`. */
async function start(options: ChainOptions = {}) {
  const level: TestLevel = new MemoryLevel({ storeEncoding: 'view' })
  const disk = { isFull: false }
  const database = withFailingWrites(level, () => disk.isFull) as never
  const chain = await startChain({ clock: createManualClock(), ...options, database })
  const events: unknown[] = []
  chain.on('transaction', ({ hash }) => events.push({ transaction: hash }))
  chain.on('dropped', ({ hash }) => events.push({ dropped: hash }))
  chain.on('preconf', (preconfBlock) => events.push({ preconf: hashesOf(preconfBlock) }))
  chain.on('error', ({ message }) => events.push({ error: message }))
  return { chain, level, disk, events }
}

const STOPPED = { code: -32000, message: 'the database accepts no write until it is opened again: disk full' }

describe('after a refused write', () => {
  it('each send, tick, seal and cheat is refused with its cause, and reads are answered', async () => {
    const { chain, level, disk } = await start()
    await send(chain, { nonce: 0 })
    await chain.tick()
    disk.isFull = true
    await expect(chain.seal()).rejects.toMatchObject(REFUSED)
    disk.isFull = false
    const before = [await dump(chain), await entriesIn(level)]
    await expect(chain.seal()).rejects.toMatchObject({ ...STOPPED, cause: { message: 'disk full' } })
    await expect(send(chain, { from: 1, nonce: 0 })).rejects.toMatchObject(STOPPED)
    await expect(chain.setBalance(STRANGER, 1n)).rejects.toMatchObject(STOPPED)
    await expect(
      chain.standard.request({ method: 'evm_increaseTime', params: [1] } as never),
    ).rejects.toMatchObject(STOPPED)
    expect([await dump(chain), await entriesIn(level)]).toEqual(before)
    await chain.reopenDatabase()
    expect(Number((await chain.seal()).block.number)).toBe(1)
  })

  it('the database is refused until it is at the head that was stored last', async () => {
    const { chain, level, disk } = await start()
    const { hash: first } = (await chain.seal()).block
    const older = await entriesIn(level)
    const { hash: second } = (await chain.seal()).block
    disk.isFull = true
    await expect(chain.seal()).rejects.toMatchObject(REFUSED)
    disk.isFull = false
    const newer = await entriesIn(level)
    const put = async (entries: string[][]) => {
      await level.clear()
      const puts = entries.map(([key, value]) => ({
        type: 'put',
        key: hexToBytes(key as Hex),
        value: hexToBytes(value as Hex),
      }))
      await level.batch(puts as never, { keyEncoding: 'view', valueEncoding: 'view' })
    }
    await put(older)
    await expect(chain.reopenDatabase()).rejects.toThrow(new DatabaseHeadError(first, second))
    await expect(chain.seal()).rejects.toMatchObject(STOPPED)
    await put(newer)
    await chain.reopenDatabase()
    expect(Number((await chain.seal()).block.number)).toBe(3)
    await chain.close()
    await expect(chain.reopenDatabase()).rejects.toMatchObject({ code: 4900 })
  })

  it('a chain that opens its database itself goes on with the next write', async () => {
    const level: TestLevel = new MemoryLevel({ storeEncoding: 'view' })
    let isFull = false
    const database = withFailingWrites(level, () => isFull) as never
    const chain = await startChain({ database }, { reopensDatabase: true })
    chain.on('error', () => {})
    isFull = true
    await expect(send(chain, { nonce: 0 })).rejects.toMatchObject(REFUSED)
    await expect(send(chain, { nonce: 0 })).rejects.toMatchObject({ code: -32000 })
    isFull = false
    const hash = await send(chain, { nonce: 0 })
    expect(hashesOf(await chain.seal())).toEqual([hash])
    const resumed = await startChain({ database: (await copyOf(level)) as never })
    expect(await resumed.standard.request({ method: 'eth_blockNumber' })).toBe('0x1')
  })

  it('what the mempool lacks in the database is written again', async () => {
    const { chain, level, disk } = await start()
    const hashes = [await send(chain, { nonce: 0 }), await send(chain, { from: 1, nonce: 0 })]
    await chain.tick()
    const waiting = await send(chain, { from: 2, nonce: 0 })
    disk.isFull = true
    await expect(send(chain, { from: 2, nonce: 1 })).rejects.toMatchObject(REFUSED)
    disk.isFull = false
    const keys = await level
      .keys({ gte: 'preseal:pool', lt: 'preseal:pr\uffff', keyEncoding: 'utf8' } as never)
      .all()
    expect(keys.length).toBeGreaterThan(2)
    await level.batch(keys.map((key) => ({ type: 'del', key, keyEncoding: 'utf8' })) as never)
    await chain.reopenDatabase()
    const resumed = await startChain({ database: (await copyOf(level)) as never })
    const pending = await resumed.preconf.request({
      method: 'eth_getBlockByNumber',
      params: ['pending', false],
    })
    expect(pending!.transactions).toEqual(hashes)
    expect(await ask(resumed.standard, 'chain_transactionStatus', [waiting])).toMatchObject({
      status: 'Known',
    })
  })
})

describe('a refused write', () => {
  it.each([
    ['eth_sendRawTransaction', undefined],
    ['eth_sendTransaction', [{ from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', to: STRANGER }]],
    [
      'wallet_sendCalls',
      [
        {
          version: '2.0.0',
          from: '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
          chainId: '0x7a69',
          atomicRequired: true,
          calls: [{ to: STRANGER }, { to: STRANGER }],
        },
      ],
    ],
    ['anvil_impersonateAccount', [STRANGER]],
    ['anvil_autoImpersonateAccount', [true]],
    ['evm_setAutomine', [true]],
    ['evm_setIntervalMining', [5000]],
    ['evm_increaseTime', [100]],
    ['anvil_setChainId', [5]],
    ['anvil_setMinGasPrice', ['0x1']],
    ['anvil_dropAllTransactions', []],
    ['evm_revert', ['0x1']],
  ] as const)('of a request changes nothing: %s', async (method, params) => {
    const { chain, level, disk, events } = await start()
    await chain.snapshot()
    await send(chain, { from: 1, nonce: 0 })
    await chain.tick()
    await send(chain, { from: 2, nonce: 0 })
    const before = [
      await dump(chain),
      await entriesIn(level),
      await ask(chain.standard, 'txpool_content', []),
    ]
    const heard = events.length
    disk.isFull = true
    const request = { method, params: params ?? [await sign(chain, { nonce: 0 })] }
    await expect(chain.preconf.request(request as never)).rejects.toMatchObject(REFUSED)
    disk.isFull = false
    await chain.reopenDatabase()
    expect([
      await dump(chain),
      await entriesIn(level),
      await ask(chain.standard, 'txpool_content', []),
    ]).toEqual(before)
    // The error event reports nothing that its caller was told.
    expect(events.slice(heard)).toEqual([])
    await chain.preconf.request(request as never)
  })

  it('of a batch of calls leaves the id to the next one', async () => {
    const [from, to] = ['0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266', STRANGER]
    const request = { version: '2.0.0', from, chainId: '0x7a69', atomicRequired: true, calls: [{ to }] }
    const ids = []
    for (const isFull of [false, true]) {
      const { chain, disk } = await start()
      disk.isFull = isFull
      if (isFull) expect(await ask(chain.preconf, 'wallet_sendCalls', [request])).toMatch(/disk full/)
      disk.isFull = false
      await chain.reopenDatabase()
      ids.push(await ask(chain.preconf, 'wallet_sendCalls', [request]))
    }
    expect(ids[1]).toEqual(ids[0])
  })

  it('of a replacement leaves the replaced transaction waiting', async () => {
    const { chain, disk } = await start({ mempool: { ordering: 'fifo' } })
    const first = await send(chain, { nonce: 0 })
    const other = await send(chain, { from: 1, nonce: 0 })
    disk.isFull = true
    const raws = await Promise.all(
      [2n, 4n].map((tip) => sign(chain, { nonce: 0, tip, cap: tip * 10n ** 11n })),
    )
    const replacing = raws.map((raw) =>
      chain.preconf.request({ method: 'eth_sendRawTransaction', params: [raw] }),
    )
    for (const one of await Promise.allSettled(replacing)) {
      expect(one).toMatchObject({ status: 'rejected', reason: REFUSED })
    }
    disk.isFull = false
    await chain.reopenDatabase()
    await chain.tick()
    expect(hashesOf(await chain.seal())).toEqual([first, other])
  })

  it('of a tick publishes nothing, and the next tick includes it', async () => {
    const { chain, disk, events } = await start({ mining: 'interval', blockTime: 2000, preconfInterval: 500 })
    const hash = await send(chain, { nonce: 0 })
    disk.isFull = true
    await chain.clock.advance(500)
    disk.isFull = false
    await chain.reopenDatabase()
    await expect(ask(chain.preconf, 'chain_transactionStatus', [hash])).resolves.toMatchObject({
      stage: 'pending',
    })
    await chain.clock.advance(500)
    expect(events).toEqual([{ transaction: hash }, { error: REFUSED.message }, { preconf: [hash] }])
  })

  it('of a send is not pre-confirmed by a tick that runs meanwhile', async () => {
    const { chain, level, disk, events } = await start()
    const raw = await sign(chain, { nonce: 0 })
    const before = await entriesIn(level)
    disk.isFull = true
    const sent = chain.preconf.request({ method: 'eth_sendRawTransaction', params: [raw] })
    const ticked = chain.tick().catch(() => {})
    await expect(sent).rejects.toMatchObject(REFUSED)
    disk.isFull = false
    await chain.reopenDatabase()
    await ticked
    expect(events.filter((event) => !Object.hasOwn(event as object, 'error'))).toEqual([])
    expect(await entriesIn(level)).toEqual(before)
  })
})
