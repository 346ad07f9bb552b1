import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/bytes.ts'
import { hardforkConfig } from '../../../src/ethereum/rules.ts'
import type {
  ChainOptions,
  GethGenesis,
  Hex,
  PreconfBlock,
  Retraction,
  SealedBlock,
} from '../../../src/index.ts'
import { startChain, type TestChain, viemOn } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { dump, hashesOf, LOGGING, RECIPIENT, send, sign } from './support.ts'

const WITHOUT_SYSTEM_CONTRACTS: GethGenesis = {
  config: hardforkConfig(31_337, 'prague'),
  alloc: {},
  gasLimit: '0x1c9c380',
  timestamp: '0x6553f100',
}

const balance = (chain: TestChain, tag = 'pending') => ask(chain.preconf, 'eth_getBalance', [RECIPIENT, tag])

describe('a revert to a snapshot', () => {
  it('restores state, blocks, pre-confirmed and waiting transactions', async () => {
    const chain = await startChain()
    await send(chain, { nonce: 0 })
    await chain.seal()
    await send(chain, { nonce: 1 })
    await chain.tick()
    await send(chain, { nonce: 2 })
    await send(chain, { from: 1, nonce: 5 })
    const before = await dump(chain)
    const id = await chain.snapshot()
    await send(chain, { nonce: 3 })
    await chain.tick()
    await chain.seal()
    await send(chain, { from: 2, nonce: 0 })
    await chain.seal()
    expect(await dump(chain)).not.toEqual(before)
    await chain.revert(id)
    expect(await dump(chain)).toEqual(before)
  })

  it('continues as if nothing had happened since', async () => {
    const chain = await startChain()
    await send(chain, { nonce: 0 })
    await chain.tick()
    await send(chain, { nonce: 1 })
    const id = await chain.snapshot()
    const tick = await chain.tick()
    const sealed = await chain.seal()
    await chain.clock.advance(60_000)
    await chain.revert(id)
    expect(await chain.tick()).toEqual(tick)
    expect(await chain.seal()).toEqual(sealed)
  })

  it('can be repeated, and removes later snapshots', async () => {
    const chain = await startChain()
    const first = await chain.snapshot()
    await send(chain, { nonce: 0 })
    const second = await chain.snapshot()
    await chain.seal()
    await chain.revert(second)
    await chain.seal()
    await chain.revert(first)
    await chain.revert(first)
    expect(await balance(chain)).toBe('0x0')
    await expect(chain.revert(second)).rejects.toMatchObject({
      code: -32000,
      message: 'unknown snapshot 0x2',
    })
    await expect(chain.revert('0x77')).rejects.toMatchObject({ message: 'unknown snapshot 0x77' })
  })

  it('emits what is withdrawn before what replaces it', async () => {
    const chain = await startChain()
    const kept = await send(chain, { nonce: 0 })
    await chain.tick()
    const id = await chain.snapshot()
    const sealed = await send(chain, { nonce: 1 })
    const first = await chain.seal()
    const preconfirmed = await send(chain, { nonce: 2 })
    const tick = await chain.tick()
    const waiting = await send(chain, { nonce: 3 })
    const events: unknown[] = []
    chain.on('retracted', (retracted: Retraction) => events.push(retracted))
    chain.on('dropped', (drop) => events.push(drop))
    chain.on('preconf', ({ index, added, ...rest }: PreconfBlock) =>
      events.push({ index, added, transactions: hashesOf(rest as PreconfBlock) }),
    )
    chain.on('block', (block: SealedBlock) => events.push(block))
    const empty = await ask(chain.preconf, 'eth_getBlockByHash', [tick.block.parentHash, false])
    expect(empty).not.toBeNull()
    await chain.revert(id)
    expect(events).toEqual([
      {
        reason: 'revert',
        preconfBlocks: [expect.any(String), tick.block.hash],
        blocks: [first.block.hash],
        transactions: [sealed, preconfirmed],
      },
      { hash: waiting, reason: 'removed' },
      { index: 1, added: 1, transactions: [kept] },
    ])
    expect(await ask(chain.preconf, 'eth_getBlockByHash', [first.block.hash, false])).toBeNull()
    expect(await ask(chain.preconf, 'eth_getBlockByHash', [tick.block.hash, false])).toBeNull()
    expect(await ask(chain.preconf, 'eth_getTransactionReceipt', [sealed])).toBeNull()
    expect(await ask(chain.preconf, 'chain_transactionStatus', [sealed])).toEqual({ status: 'Unknown' })
  })

  it('emits nothing if nothing happened', async () => {
    const chain = await startChain()
    await send(chain, { nonce: 0 })
    await chain.tick()
    const id = await chain.snapshot()
    const events: unknown[] = []
    for (const event of ['retracted', 'preconf', 'dropped', 'block'] as const) {
      chain.on(event, () => events.push(event))
    }
    await chain.revert(id)
    expect(events).toEqual([])
  })

  it('sends subscribers the removed logs, newest first, and the new head', async () => {
    const chain = await startChain()
    const before = await chain.seal()
    const id = await chain.snapshot()
    for (const nonce of [0, 1]) await send(chain, { nonce, ...LOGGING })
    const sealed = await chain.seal()
    await send(chain, { nonce: 2, ...LOGGING })
    const tick = await chain.tick()
    const messages: unknown[] = []
    const names = new Map<unknown, string>()
    for (const kind of ['newHeads', 'logs', 'pendingLogs']) {
      names.set(await ask(chain.preconf, 'eth_subscribe', [kind]), kind)
    }
    chain.preconf.on('message', ({ data }) => {
      const { removed, transactionIndex, blockHash, hash } = data.result as Record<string, unknown>
      const content = hash === undefined ? { removed, transactionIndex, blockHash } : { hash }
      messages.push({ kind: names.get(data.subscription), ...content })
    })
    await chain.revert(id)
    const log = (kind: string, blockHash: string, transactionIndex: string) => ({
      kind,
      removed: true,
      transactionIndex,
      blockHash,
    })
    expect(messages).toEqual([
      { kind: 'newHeads', hash: before.block.hash },
      log('logs', sealed.block.hash, '0x1'),
      log('logs', sealed.block.hash, '0x0'),
      log('pendingLogs', tick.block.hash, '0x0'),
      log('pendingLogs', sealed.block.hash, '0x1'),
      log('pendingLogs', sealed.block.hash, '0x0'),
    ])
  })

  it('makes filters report the removal of the logs they delivered, and of no others', async () => {
    const chain = await startChain()
    const filter = await ask(chain.preconf, 'eth_newFilter', [{}])
    const pending = await ask(chain.preconf, 'eth_newFilter', [{ toBlock: 'pending' }])
    const blocks = await ask(chain.preconf, 'eth_newBlockFilter')
    const changes = async (id: unknown) => {
      const found = (await ask(chain.preconf, 'eth_getFilterChanges', [id])) as Record<string, unknown>[]
      return found.map((log) => (typeof log === 'string' ? log : [log['transactionHash'], log['removed']]))
    }
    const kept = await send(chain, { nonce: 0, ...LOGGING })
    await chain.tick()
    const id = await chain.snapshot()
    const gone = await send(chain, { nonce: 1, ...LOGGING })
    const { block } = await chain.seal()
    expect([await changes(filter), await changes(pending), await changes(blocks)]).toEqual([
      [
        [kept, false],
        [gone, false],
      ],
      [
        [kept, false],
        [gone, false],
      ],
      [block.hash],
    ])
    await send(chain, { nonce: 2, ...LOGGING })
    await chain.seal()
    await chain.revert(id)
    expect([await changes(filter), await changes(pending), await changes(blocks)]).toEqual([
      [
        [gone, true],
        [kept, true],
      ],
      [[gone, true]],
      [],
    ])
    const again = await chain.seal()
    expect([await changes(filter), await changes(pending), await changes(blocks)]).toEqual([
      [[kept, false]],
      [],
      [again.block.hash],
    ])
  })

  it('rejects a wait for the receipt of what it removes', async () => {
    const chain = await startChain()
    const id = await chain.snapshot()
    const raw = await sign(chain, { nonce: 0 })
    const waiting = chain.standard.request({ method: 'eth_sendRawTransactionSync', params: [raw] })
    const rejected = expect(waiting).rejects.toMatchObject({ message: expect.stringContaining('removed') })
    await chain.tick()
    await chain.revert(id)
    await rejected
  })

  it('makes reads of withdrawn blocks fail, and shows no state of the other branch', async () => {
    const chain = await startChain()
    const id = await chain.snapshot()
    await send(chain, { nonce: 0 })
    const { block } = await chain.seal()
    const reading = viemOn(chain, chain.standard).public
    await chain.revert(id)
    await send(chain, { from: 1, nonce: 0, value: 7n })
    const other = await chain.seal()
    expect(other.block.number).toBe(block.number)
    await expect(reading.getBlock({ blockHash: block.hash })).rejects.toThrow('could not be found')
    expect(await balance(chain, 'latest')).toBe('0x7')
  })

  it('restores the head in auto mining, which seals the next send again', async () => {
    const chain = await startChain({ mining: 'auto' })
    const id = await chain.snapshot()
    await send(chain, { nonce: 0 })
    await chain.revert(id)
    expect(await ask(chain.standard, 'eth_blockNumber')).toBe('0x0')
    await send(chain, { nonce: 0 })
    expect(await ask(chain.standard, 'eth_blockNumber')).toBe('0x1')
  })

  it('is rejected if the snapshot is older than the history, and changes nothing', async () => {
    const chain = await startChain({ history: { blocks: 2 } })
    const id = await chain.snapshot()
    for (let i = 0; i < 4; i++) await chain.seal()
    const before = await dump(chain).catch(() => ask(chain.preconf, 'eth_blockNumber'))
    await expect(chain.revert(id)).rejects.toMatchObject({ code: -32000, message: 'state not available' })
    expect(await dump(chain).catch(() => ask(chain.preconf, 'eth_blockNumber'))).toEqual(before)
    const fresh = await chain.snapshot()
    await chain.revert(fresh)
    await expect(chain.revert(id)).rejects.toMatchObject({ message: 'state not available' })
  })

  it('restores the oldest block of the history as it was before writes to its state', async () => {
    const chain = await startChain({ history: { blocks: 2 } })
    await chain.seal()
    const setBalance = (value: Hex) => ask(chain.standard, 'anvil_setBalance', [RECIPIENT, value])
    const read = () => ask(chain.standard, 'eth_getBalance', [RECIPIENT, 'latest'])
    const first = await chain.snapshot()
    await setBalance('0x1')
    const second = await chain.snapshot()
    await setBalance('0x2')
    await chain.seal()
    await chain.revert(second)
    expect(await read()).toBe('0x1')
    await chain.revert(first)
    expect(await read()).toBe('0x0')
    expect((await chain.seal()).block.number).toBe('0x2')
  })

  it('is rejected if its block has left the history, even if no block since has changed the state', async () => {
    const chain = await startChain({ hardfork: 'shanghai', history: { blocks: 3 } })
    await send(chain, { nonce: 0, ...LOGGING })
    await chain.seal()
    const id = await chain.snapshot()
    for (let i = 0; i < 3; i++) await chain.seal()
    const before = await dump(chain)
    await expect(chain.revert(id)).rejects.toMatchObject({ code: -32000, message: 'state not available' })
    expect(await dump(chain)).toEqual(before)
  })
})

describe('a revert to a block whose state other blocks share', () => {
  /** Chains whose blocks without transactions change no state. */
  const chains: readonly [string, ChainOptions][] = [
    ['a chain before Cancun', { hardfork: 'shanghai' }],
    ['blocks of the same second', { hardfork: 'cancun', allowBlocksWithSameTimestamp: true }],
    ['a genesis without system contracts', { genesis: WITHOUT_SYSTEM_CONTRACTS, accounts: {} }],
  ]
  const refused = { code: -32000, message: 'state not available' }

  it.each(chains)(
    'is rejected if the block was withdrawn, and changes nothing: %s',
    async (_name, options) => {
      const chain = await startChain(options)
      await send(chain, { nonce: 0 })
      await chain.seal()
      await chain.seal()
      const id = await chain.snapshot()
      await chain.standard.request({ method: 'anvil_rollback', params: [1] })
      await send(chain, { from: 1, nonce: 0, value: 7n })
      await chain.seal()
      const before = await dump(chain)
      await expect(chain.revert(id)).rejects.toMatchObject(refused)
      await expect(chain.standard.request({ method: 'evm_revert', params: [id] })).rejects.toMatchObject(
        refused,
      )
      expect(await dump(chain)).toEqual(before)
      await send(chain, { from: 1, nonce: 1 })
      expect((await chain.seal()).receipts).toHaveLength(1)
    },
  )

  it.each(chains)(
    'is rejected if the block has left the history, and changes nothing: %s',
    async (_name, options) => {
      const chain = await startChain({ ...options, history: { blocks: 3, proofs: 2 } })
      await chain.seal()
      const id = await chain.snapshot()
      for (let i = 0; i < 6; i++) await chain.seal()
      const read = async () => [
        await ask(chain.preconf, 'eth_getBlockByNumber', ['latest', true]),
        await ask(chain.preconf, 'eth_getBlockByNumber', ['pending', true]),
        await balance(chain),
      ]
      const before = await read()
      await expect(chain.revert(id)).rejects.toMatchObject(refused)
      await expect(chain.standard.request({ method: 'evm_revert', params: [id] })).rejects.toMatchObject(
        refused,
      )
      await expect(chain.standard.request({ method: 'anvil_reset' })).rejects.toMatchObject(refused)
      expect(await read()).toEqual(before)
      await send(chain, { nonce: 0 })
      expect((await chain.seal()).receipts).toHaveLength(1)
    },
  )

  it('is rejected if the block was imported again since', async () => {
    const chain = await startChain({ hardfork: 'shanghai' })
    await chain.seal()
    const id = await chain.snapshot()
    const raw = await chain.standard.request({ method: 'debug_getRawBlock', params: ['latest'] })
    await chain.standard.request({ method: 'anvil_rollback', params: [1] })
    await chain.importBlocks(hexToBytes(raw))
    await expect(chain.revert(id)).rejects.toMatchObject(refused)
  })

  it.each(chains)('succeeds if the block is still canonical: %s', async (_name, options) => {
    const chain = await startChain(options)
    await send(chain, { nonce: 0 })
    await chain.seal()
    await chain.seal()
    const before = await dump(chain)
    const id = await chain.snapshot()
    await chain.seal()
    await send(chain, { from: 1, nonce: 0 })
    await chain.seal()
    await chain.revert(id)
    expect(await dump(chain)).toEqual(before)
  })
})

describe('evm_revert', () => {
  it('accepts an id once, and answers false for an unknown one', async () => {
    const chain = await startChain()
    const request = (method: string, ...params: unknown[]) => ask(chain.standard, method, params)
    expect(await request('evm_snapshot')).toBe('0x1')
    expect(await request('anvil_snapshot')).toBe('0x2')
    expect(await request('evm_snapshot')).toBe('0x3')
    await chain.seal()
    expect(await request('evm_revert', '0x2')).toBe(true)
    expect(await request('evm_revert', '0x2')).toBe(false)
    expect(await request('evm_revert', '0x3')).toBe(false)
    expect(await request('anvil_revert', 1)).toBe(true)
    expect(await request('evm_revert', '0x63')).toBe(false)
    expect(await request('evm_revert', 'no')).toBe(
      'error -32602 invalid argument 0: expected the id of a snapshot',
    )
    expect(await request('eth_blockNumber')).toBe('0x0')
  })
})
