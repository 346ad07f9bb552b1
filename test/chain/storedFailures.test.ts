/** A database that refuses what a chain writes beside its blocks: nothing has changed then, in the chain or there. */
import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { type ChainOptions, createManualClock } from '../../src/index.ts'
import { startChain } from '../harness.ts'
import { entriesIn, type TestLevel, withFailingWrites } from '../ledger/failingDatabase.ts'
import { STRANGER } from '../operations.ts'
import { ask } from '../rpc/scene.ts'
import { dump, hashesOf, send, sign } from '../sequencer/support.ts'

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
  chain.on('preconf', (snapshot) => events.push({ preconf: hashesOf(snapshot) }))
  chain.on('error', ({ message }) => events.push({ error: message }))
  return { chain, level, disk, events }
}

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
    await chain.tick()
    expect(hashesOf(await chain.seal())).toEqual([first, other])
  })

  it('of a tick publishes nothing, and the next tick includes it', async () => {
    const { chain, disk, events } = await start({ mining: 'interval', blockTime: 2000, preconfInterval: 500 })
    const hash = await send(chain, { nonce: 0 })
    disk.isFull = true
    await chain.clock.advance(500)
    disk.isFull = false
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
    const ticked = chain.tick()
    await expect(sent).rejects.toMatchObject(REFUSED)
    disk.isFull = false
    await ticked.catch(() => {})
    expect(events.filter((event) => !Object.hasOwn(event as object, 'error'))).toEqual([])
    expect(await entriesIn(level)).toEqual(before)
  })
})
