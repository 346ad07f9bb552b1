import { describe, expect, it } from 'vitest'
import {
  faultPresets,
  type InvalidOptionError,
  type PreconfBlock,
  type Retraction,
} from '../../../src/index.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { ask } from '../../rpc/scene.ts'
import { dump, hashesOf, LOGGING, RECIPIENT, send, sign } from './support.ts'

const ZERO_HASH = `0x${'00'.repeat(32)}`

type BlockShape = { readonly number: string; readonly hash: string; readonly transactions: readonly string[] }

const blockAt = (chain: TestChain, tag: string, view: 'standard' | 'preconf' = 'preconf') =>
  ask(chain[view], 'eth_getBlockByNumber', [tag, false]) as Promise<BlockShape>

/** `pending` on preconf: its number, its count of transactions, the first account's nonce, and the count of logs. */
async function readPending(chain: TestChain) {
  const { number, transactions } = await blockAt(chain, 'pending')
  return {
    number: Number(number),
    transactions: transactions.length,
    nonce: await ask(chain.preconf, 'eth_getTransactionCount', [chain.accounts[0]!.address, 'pending']),
    logs: (await logsOf(chain, 'pending', 'pending')).length,
  }
}

async function logsOf(chain: TestChain, fromBlock: string, toBlock: string): Promise<unknown[]> {
  return (await ask(chain.preconf, 'eth_getLogs', [{ fromBlock, toBlock }])) as unknown[]
}

/** Records the notifications of one connection, by kind. */
async function subscribe(chain: TestChain) {
  const sent: [string, Record<string, unknown>][] = []
  const kinds = new Map<string, string>()
  for (const kind of ['newPreconfBlocks', 'newPreconfTransactions', 'pendingLogs', 'newHeads']) {
    const params = kind === 'newPreconfTransactions' ? [kind, true] : [kind]
    kinds.set((await ask(chain.preconf, 'eth_subscribe', params)) as string, kind)
  }
  chain.preconf.on('message', ({ data }) => {
    sent.push([kinds.get(data.subscription)!, data.result as Record<string, unknown>])
  })
  return sent
}

/** Seals three blocks with a log each, and pre-confirms a fourth at index 1. @returns the hash of its transaction. */
async function buildBlocks(chain: TestChain) {
  for (const nonce of [0, 1, 2]) {
    await send(chain, { nonce, ...LOGGING })
    await chain.seal()
  }
  const hash = await send(chain, { nonce: 3, ...LOGGING })
  await chain.tick()
  return hash
}

describe('chain.faults', () => {
  it('has none by default', async () => {
    const chain = await startChain()
    expect(chain.faults.current).toEqual({})
    const other = await startChain({ faults: 'zero-hash' })
    expect(other.faults.current).toEqual({ zeroHash: true })
  })

  it('replaces all faults by those that are set, without those that are off', async () => {
    const chain = await startChain({ faults: { dropEvery: 2, zeroHash: true } })
    chain.faults.set({ tickDelay: 5, zeroHash: false, dropEvery: undefined } as never)
    expect(chain.faults.current).toEqual({ tickDelay: 5 })
    expect(Object.isFrozen(chain.faults.current)).toBe(true)
    chain.faults.clear()
    expect(chain.faults.current).toEqual({})
  })

  it.each(Object.entries(faultPresets))('accepts %s by name', async (name, settings) => {
    const chain = await startChain()
    chain.faults.set(name as keyof typeof faultPresets)
    expect(chain.faults.current).toEqual(settings)
  })

  const presets = Object.keys(faultPresets).join(', ')
  it.each<[string, unknown, string]>([
    ['an unknown preset', 'toString', `faults: expected one of ${presets}, or an object`],
    ['null', null, 'faults: expected the name of a preset, or an object'],
    ['a list', ['zero-hash'], 'faults: expected the name of a preset, or an object'],
    ['a count of 0', { dropEvery: 0 }, 'faults.dropEvery: expected an integer >= 1'],
    ['a fractional count', { tickDelay: 1.5 }, 'faults.tickDelay: expected an integer >= 1'],
    ['a count as a switch', { pendingBehind: true }, 'faults.pendingBehind: expected an integer >= 1'],
    ['a switch as a count', { zeroHash: 1 }, 'faults.zeroHash: expected true or false'],
  ])('rejects %s, and keeps the current faults', async (_, faults, message) => {
    const chain = await startChain({ faults: { dropEvery: 2 } })
    const thrown: Partial<InvalidOptionError> = {
      name: 'InvalidOptionError',
      message: `invalid option ${message}`,
    }
    expect(() => chain.faults.set(faults as never)).toThrow(expect.objectContaining(thrown))
    expect(chain.faults.current).toEqual({ dropEvery: 2 })
    await expect(startChain({ faults: faults as never })).rejects.toMatchObject(thrown)
  })

  it('rejects an unknown fault', async () => {
    const chain = await startChain()
    expect(() => chain.faults.set({ zerohash: true } as never)).toThrow('invalid option faults.zerohash')
  })

  it('is part of a snapshot, with the counts and what was scheduled', async () => {
    const chain = await startChain({ faults: { dropEvery: 2 } })
    await send(chain, { nonce: 0 })
    await chain.tick()
    const id = await chain.snapshot()
    const outcomes = []
    for (let i = 0; i < 2; i++) {
      const second = await send(chain, { nonce: 1, ...LOGGING })
      await chain.tick()
      outcomes.push(hashesOf(await chain.seal()).includes(second))
      chain.faults.set('stale-pending')
      await chain.revert(id)
      expect(chain.faults.current).toEqual({ dropEvery: 2 })
    }
    expect(outcomes).toEqual([false, false])
  })

  it('is set by a reset to what the chain started with', async () => {
    const chain = await startChain({ faults: 'zero-hash' })
    chain.faults.clear()
    await ask(chain.preconf, 'anvil_reset')
    expect(chain.faults.current).toEqual({ zeroHash: true })
  })
})

describe('a missed tick', () => {
  const start = async (faults: object) => {
    const chain = await startChain({ mining: 'interval', faults })
    const indices: [number, number][] = []
    const begin = chain.clock.now()
    chain.on('preconf', ({ index }: PreconfBlock) => indices.push([chain.clock.now() - begin, index]))
    return { chain, indices }
  }

  it('publishes nothing, every nth time, and is counted', async () => {
    const { chain, indices } = await start({ missTickEvery: 3 })
    await chain.clock.advance(2200)
    expect(indices).toEqual([
      [200, 1],
      [400, 2],
      [800, 3],
      [1000, 4],
      [1400, 5],
      [1600, 6],
      [2000, 0],
      [2200, 1],
    ])
    expect(chain.missedTicks).toBe(3)
  })

  it('delays what waits to the next tick, or to the seal', async () => {
    const { chain } = await start({ missTickEvery: 1 })
    const hash = await send(chain, { nonce: 0 })
    await chain.clock.advance(1800)
    expect(await ask(chain.preconf, 'eth_getTransactionReceipt', [hash])).toBeNull()
    expect((await readPending(chain)).transactions).toBe(0)
    await chain.clock.advance(200)
    expect((await blockAt(chain, 'latest')).transactions).toEqual([hash])
  })

  it('is one of the timer only: a manual tick takes place', async () => {
    const { chain } = await start({ missTickEvery: 1 })
    expect((await chain.tick()).index).toBe(1)
    expect(chain.missedTicks).toBe(0)
  })
})

describe('a late tick', () => {
  const start = async (tickDelay: number) => {
    const chain = await startChain({ mining: 'interval', faults: { tickDelay } })
    const begin = chain.clock.now()
    const times: number[] = []
    chain.on('preconf', () => times.push(chain.clock.now() - begin))
    return { chain, times }
  }

  it('is late by the delay in every slot, while seals are on time', async () => {
    const { chain, times } = await start(150)
    await chain.clock.advance(2399)
    expect(times).toEqual([350, 550, 750, 950, 1150, 1350, 1550, 1750, 1950, 2000, 2350])
    expect(chain.missedTicks).toBe(0)
  })

  it('replaces the ticks that fall due while it is awaited', async () => {
    const { chain, times } = await start(450)
    await chain.clock.advance(2000)
    expect(times).toEqual([650, 1250, 1850, 2000])
    expect(chain.missedTicks).toBe(6)
  })

  it('is late from the next due tick on, and on time again once the fault is cleared', async () => {
    const chain = await startChain({ mining: 'interval' })
    const begin = chain.clock.now()
    const times: number[] = []
    chain.on('preconf', () => times.push(chain.clock.now() - begin))
    await chain.clock.advance(250)
    chain.faults.set({ tickDelay: 30 })
    await chain.clock.advance(250)
    chain.faults.clear()
    await chain.clock.advance(500)
    expect(times).toEqual([200, 430, 600, 800, 1000])
  })

  it.each([
    ['after its regular time', 250],
    ['before its regular time', 150],
  ])('is cancelled with its slot if a manual seal comes %s', async (_, sealed) => {
    const { chain, times } = await start(150)
    await chain.clock.advance(sealed)
    await chain.seal()
    await chain.clock.advance(2000)
    const ticks = [350, 550, 750, 950, 1150, 1350, 1550, 1750, 1950]
    expect(times).toEqual([sealed, ...ticks.map((ms) => sealed + ms), sealed + 2000])
    expect(chain.missedTicks).toBe(0)
  })
})

describe('a transaction dropped after it was pre-confirmed', () => {
  it('is withdrawn at the next tick, with what depends on it, and dropped', async () => {
    const chain = await startChain({ faults: { dropEvery: 3 } })
    const events: unknown[] = []
    chain.on('retracted', ({ reason, transactions }: Retraction) => events.push({ reason, transactions }))
    chain.on('dropped', (drop) => events.push(drop))
    chain.on('preconf', (preconfBlock) => events.push(hashesOf(preconfBlock)))
    const first = await send(chain, { nonce: 0, ...LOGGING })
    const other = await send(chain, { from: 1, nonce: 0, ...LOGGING })
    await chain.tick()
    const third = await send(chain, { nonce: 1, ...LOGGING })
    const fourth = await send(chain, { nonce: 2, ...LOGGING })
    await chain.tick()
    expect(await ask(chain.preconf, 'eth_getTransactionReceipt', [third])).toMatchObject({ status: '0x1' })
    await chain.tick()
    expect(events).toEqual([
      [first, other],
      [first, other, third, fourth],
      { reason: 'fault', transactions: [third, fourth] },
      { hash: third, reason: 'removed', message: 'dropped by the fault dropEvery' },
      [first, other],
      [first, other],
    ])
    expect(await ask(chain.preconf, 'eth_getTransactionReceipt', [third])).toBeNull()
    const { nonce } = await readPending(chain)
    expect(nonce).toBe('0x1')
    expect(await ask(chain.preconf, 'chain_transactionStatus', [third])).toEqual({
      status: 'Unknown',
      stage: 'dropped',
    })
    expect(await ask(chain.standard, 'txpool_status')).toEqual({ pending: '0x0', queued: '0x1' })
    expect(hashesOf(await chain.seal())).toEqual([first, other])
  })

  it('is never sealed, by hand or in auto mining', async () => {
    const byHand = await startChain({ faults: { dropEvery: 1 } })
    await send(byHand, { nonce: 0 })
    expect(hashesOf(await byHand.seal())).toEqual([])

    const auto = await startChain({ mining: 'auto', faults: { dropEvery: 2 } })
    const kept = await send(auto, { nonce: 0 })
    await send(auto, { nonce: 1 })
    const head = await blockAt(auto, 'latest')
    expect([Number(head.number), head.transactions]).toEqual([1, [kept]])
  })

  it('is withdrawn without notifications or filter changes', async () => {
    const chain = await startChain({ faults: { dropEvery: 1 } })
    const sent = await subscribe(chain)
    const filter = await ask(chain.preconf, 'eth_newFilter', [{ toBlock: 'pending' }])
    await send(chain, { nonce: 0, ...LOGGING })
    await chain.tick()
    expect(await ask(chain.preconf, 'eth_getFilterChanges', [filter])).toHaveLength(1)
    sent.length = 0
    await chain.tick()
    expect(sent.map(([kind]) => kind)).toEqual(['newPreconfBlocks', 'newPreconfBlocks'])
    expect(await ask(chain.preconf, 'eth_getFilterChanges', [filter])).toEqual([])
    // A new log at the same position is delivered.
    chain.faults.clear()
    await send(chain, { nonce: 0, ...LOGGING, gas: 90_000n })
    await chain.tick()
    expect(await ask(chain.preconf, 'eth_getFilterChanges', [filter])).toHaveLength(1)
  })

  it('is not dropped if it was withdrawn before', async () => {
    const chain = await startChain({ faults: { dropEvery: 2 } })
    await send(chain, { nonce: 0 })
    const second = await send(chain, { nonce: 1 })
    await chain.tick()
    await chain.retract({ transactions: [second] })
    await chain.tick()
    chain.faults.clear()
    expect(hashesOf(await chain.seal())).toHaveLength(2)
  })
})

describe('a stale pending', () => {
  it('is an older block for state, nonce, logs and receipts, while the rest is current', async () => {
    const chain = await startChain({ faults: { pendingBehind: 3 } })
    const hash = await buildBlocks(chain)
    expect(await readPending(chain)).toEqual({ number: 1, transactions: 1, nonce: '0x1', logs: 1 })
    const recipient = [chain.accounts[0]!.address]
    expect(await ask(chain.preconf, 'eth_getBalance', [...recipient, 'pending'])).toBe(
      await ask(chain.preconf, 'eth_getBalance', [...recipient, '0x1']),
    )
    expect(Number(await ask(chain.preconf, 'eth_blockNumber'))).toBe(3)
    expect(await ask(chain.preconf, 'eth_getTransactionReceipt', [hash])).toBeNull()
    expect(await ask(chain.preconf, 'eth_getTransactionByHash', [hash])).toMatchObject({
      hash,
      blockHash: null,
    })
    expect(await ask(chain.preconf, 'chain_transactionStatus', [hash])).toEqual({
      status: 'Known',
      stage: 'pending',
    })
    expect(await blockAt(chain, '0x4')).toBeNull()
    expect(await logsOf(chain, '0x2', 'pending')).toHaveLength(2)
    await chain.seal()
    expect((await readPending(chain)).number).toBe(2)
    expect(await ask(chain.preconf, 'eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
  })

  it('is genesis at the oldest', async () => {
    const chain = await startChain({ faults: 'stale-pending' })
    await buildBlocks(chain)
    expect(await readPending(chain)).toEqual({ number: 0, transactions: 0, nonce: '0x0', logs: 0 })
  })

  it('keeps subscriptions silent, and limits filters to sealed logs', async () => {
    const chain = await startChain({ faults: 'stuck-stream' })
    const sent = await subscribe(chain)
    const filter = await ask(chain.preconf, 'eth_newFilter', [{ toBlock: 'pending' }])
    await buildBlocks(chain)
    expect(sent.map(([kind]) => kind)).toEqual(['newHeads', 'newHeads', 'newHeads'])
    expect(await ask(chain.preconf, 'eth_getFilterChanges', [filter])).toHaveLength(3)
    chain.faults.clear()
    expect(await ask(chain.preconf, 'eth_getFilterChanges', [filter])).toHaveLength(1)
  })

  it('determines nonces even if the pool counts', async () => {
    const chain = await startChain({ faults: 'stuck-stream' })
    await buildBlocks(chain)
    const pool = chain.provider('preconf', { pendingNonce: 'pool' })
    const nonce = () => ask(pool, 'eth_getTransactionCount', [chain.accounts[0]!.address, 'pending'])
    expect(await nonce()).toBe('0x3')
    chain.faults.clear()
    expect(await nonce()).toBe('0x4')
  })
})

describe('the head at the boundary', () => {
  it('is what `pending` names from a seal to the first tick, for all methods', async () => {
    const chain = await startChain({ faults: 'head-at-boundary' })
    const sent = await subscribe(chain)
    await send(chain, { nonce: 0, ...LOGGING })
    await chain.seal()
    const head = await blockAt(chain, 'latest')
    expect(await blockAt(chain, 'pending')).toEqual(head)
    expect(await readPending(chain)).toEqual({ number: 1, transactions: 1, nonce: '0x1', logs: 1 })
    expect(await logsOf(chain, 'latest', 'pending')).toHaveLength(1)
    expect(await blockAt(chain, '0x2')).toBeNull()
    await chain.tick()
    expect((await blockAt(chain, 'pending')).number).toBe('0x2')
    const indices = sent.filter(([kind]) => kind === 'newPreconfBlocks').map(([, { index }]) => index)
    expect(indices).toEqual([1, 1])
  })
})

describe('a lost preconf block', () => {
  it('hides `pending` until the next block, and silences subscriptions meanwhile', async () => {
    const chain = await startChain({ faults: { losePreconfBlockEvery: 2 } })
    const sent = await subscribe(chain)
    const filter = await ask(chain.preconf, 'eth_newFilter', [{ toBlock: 'pending' }])
    const changes = () => ask(chain.preconf, 'eth_getFilterChanges', [filter])
    const seen = []
    for (const nonce of [0, 1, 2]) {
      await send(chain, { nonce, ...LOGGING })
      await chain.tick()
      seen.push(await readPending(chain), ((await changes()) as unknown[]).length)
    }
    const nothing = { number: 0, transactions: 0, nonce: '0x0', logs: 0 }
    expect(seen).toEqual([{ number: 1, transactions: 1, nonce: '0x1', logs: 1 }, 1, nothing, 0, nothing, 0])
    expect(sent.map(([kind]) => kind)).toEqual(['newPreconfBlocks', 'newPreconfTransactions', 'pendingLogs'])
    await chain.seal()
    expect(await readPending(chain)).toEqual({ number: 2, transactions: 0, nonce: '0x3', logs: 0 })
    // Each log once: the first was delivered before the gap.
    expect(await changes()).toHaveLength(2)
  })

  it('ends with the block, and with its replacement', async () => {
    const chain = await startChain({ faults: { losePreconfBlockEvery: 3 } })
    const seen: number[] = []
    const record = async (act: Promise<unknown>) => {
      await act
      seen.push((await readPending(chain)).number)
    }
    await record(chain.tick())
    await record(chain.seal())
    await record(chain.tick())
    await record(chain.tick())
    await record(chain.seal())
    await record(ask(chain.preconf, 'anvil_rollback', []))
    await record(chain.tick())
    await record(chain.tick())
    // The second preconf block of block 2 is lost, but not the second one of its replacement.
    expect(seen).toEqual([1, 2, 2, 1, 3, 2, 2, 2])
  })
})

describe('a repeated preconf block', () => {
  it('is sent to subscriptions twice, every nth time', async () => {
    const chain = await startChain({ faults: { repeatPreconfBlockEvery: 2 } })
    const sent = await subscribe(chain)
    let emitted = 0
    chain.on('preconf', () => {
      emitted += 1
    })
    for (const nonce of [0, 1]) {
      await send(chain, { nonce, ...LOGGING })
      await chain.tick()
    }
    const of = (wanted: string) => sent.filter(([kind]) => kind === wanted).map(([, result]) => result)
    expect(of('newPreconfBlocks').map(({ index }) => index)).toEqual([1, 2, 2])
    expect(of('pendingLogs').map(({ logIndex }) => logIndex)).toEqual(['0x0', '0x1', '0x1'])
    expect(of('newPreconfTransactions').map(({ nonce }) => nonce)).toEqual(['0x0', '0x1', '0x1'])
    expect(emitted).toBe(2)
  })
})

describe('a zero hash', () => {
  it('is the block hash of the preconf block and of all in it', async () => {
    const chain = await startChain({ faults: 'zero-hash' })
    const sent = await subscribe(chain)
    const hash = await send(chain, { nonce: 0, ...LOGGING })
    const { block } = await chain.tick()
    expect(block.hash).not.toBe(ZERO_HASH)
    const place = { blockHash: ZERO_HASH, blockNumber: '0x1' }
    expect(await blockAt(chain, 'pending')).toMatchObject({ hash: ZERO_HASH, stateRoot: block.stateRoot })
    expect(await blockAt(chain, '0x1')).toMatchObject({ hash: ZERO_HASH })
    expect(await ask(chain.preconf, 'eth_getTransactionReceipt', [hash])).toMatchObject({
      ...place,
      logs: [place],
    })
    expect(await ask(chain.preconf, 'eth_getTransactionByHash', [hash])).toMatchObject(place)
    expect(await logsOf(chain, 'pending', 'pending')).toMatchObject([place])
    expect(sent).toMatchObject([
      [
        'newPreconfBlocks',
        { index: 1, block: { hash: ZERO_HASH, transactions: [place] }, receipts: [place] },
      ],
      ['newPreconfTransactions', { ...place, logs: [place] }],
      ['pendingLogs', place],
    ])
  })

  it('does not find the preconf block, nor does the hash that it hides', async () => {
    const chain = await startChain({ faults: 'zero-hash' })
    await send(chain, { nonce: 0, ...LOGGING })
    const { block } = await chain.tick()
    for (const hash of [ZERO_HASH, block.hash]) {
      expect(await ask(chain.preconf, 'eth_getBlockByHash', [hash, false])).toBeNull()
      expect(await ask(chain.preconf, 'eth_getLogs', [{ blockHash: hash }])).toBe(
        'error -32000 unknown block',
      )
    }
    chain.faults.clear()
    expect(await ask(chain.preconf, 'eth_getBlockByHash', [block.hash, false])).toMatchObject({
      hash: block.hash,
    })
  })

  it('is replaced by the real hash at the seal', async () => {
    const chain = await startChain({ faults: 'zero-hash' })
    const hash = await send(chain, { nonce: 0, ...LOGGING })
    const { block } = await chain.seal()
    expect(await blockAt(chain, 'latest')).toMatchObject({ hash: block.hash })
    expect(await ask(chain.preconf, 'eth_getTransactionReceipt', [hash])).toMatchObject({
      blockHash: block.hash,
    })
    expect(await logsOf(chain, 'earliest', 'pending')).toMatchObject([{ blockHash: block.hash }])
  })

  it('is also in removed logs', async () => {
    const chain = await startChain({ faults: 'zero-hash' })
    const sent = await subscribe(chain)
    const filter = await ask(chain.preconf, 'eth_newFilter', [{ toBlock: 'pending' }])
    const hash = await send(chain, { nonce: 0, ...LOGGING })
    await chain.tick()
    await ask(chain.preconf, 'eth_getFilterChanges', [filter])
    sent.length = 0
    await chain.retract({ transactions: [hash] })
    const removed = { blockHash: ZERO_HASH, removed: true }
    expect(sent).toMatchObject([
      ['pendingLogs', removed],
      ['newPreconfBlocks', {}],
    ])
    expect(await ask(chain.preconf, 'eth_getFilterChanges', [filter])).toMatchObject([removed])
  })
})

describe('a stale context', () => {
  /** Returns `block.number`. */
  const NUMBER = '0x4360005260206000f3'
  const call = (chain: TestChain, tag: string) =>
    ask(chain.preconf, 'eth_call', [
      { to: RECIPIENT },
      tag,
      { [RECIPIENT]: { code: NUMBER } },
    ]) as Promise<string>

  it('makes calls on `pending` execute on the newest state with an old block number', async () => {
    const chain = await startChain({ faults: { contextBehind: 3 } })
    await buildBlocks(chain)
    expect(Number(await call(chain, 'pending'))).toBe(1)
    expect(Number(await call(chain, 'latest'))).toBe(3)
    expect(await readPending(chain)).toEqual({ number: 4, transactions: 1, nonce: '0x4', logs: 1 })
    chain.faults.clear()
    expect(Number(await call(chain, 'pending'))).toBe(4)
  })

  it('does not change traces of pre-confirmed transactions', async () => {
    const chain = await startChain({ faults: { contextBehind: 1 } })
    // Reverts with the block number.
    await send(chain, { nonce: 0, to: null, gas: 100_000n, data: '0x4360005260206000fd' })
    await chain.tick()
    expect(await ask(chain.preconf, 'debug_traceBlockByNumber', ['pending'])).toMatchObject([
      { result: { failed: true, returnValue: `0x${'00'.repeat(31)}01` } },
    ])
  })

  it('is not available if it is older than the history', async () => {
    const chain = await startChain({ history: { blocks: 2 }, faults: { contextBehind: 4 } })
    await buildBlocks(chain)
    expect(await call(chain, 'pending')).toBe('error -32000 state not available')
  })
})

describe('a missed receipt', () => {
  const sendSync = async (chain: TestChain, nonce: number, view: 'standard' | 'preconf' = 'preconf') =>
    ask(chain[view], 'eth_sendRawTransactionSync', [await sign(chain, { nonce })])

  const accepted = (chain: TestChain) => new Promise((resolve) => chain.once('transaction', resolve))

  it('lets the wait time out, every nth time, although the transaction is included', async () => {
    const chain = await startChain({ mining: 'interval', faults: { missReceiptEvery: 2 } })
    const first = sendSync(chain, 0)
    await accepted(chain)
    await chain.clock.advance(200)
    expect(await first).toMatchObject({ status: '0x1' })

    let answer: unknown
    const second = sendSync(chain, 1).then((value) => {
      answer = value
    })
    await accepted(chain)
    await chain.clock.advance(3999)
    expect(answer).toBeUndefined()
    await chain.clock.advance(201)
    await second
    const { transactions } = await blockAt(chain, '0x1')
    expect(transactions).toHaveLength(2)
    expect(answer).toBe(
      `error 4 the transaction was added to the mempool but was not included within 4000 ms "${transactions[1]}"`,
    )
  })

  it('is one of preconf only: standard answers once it is sealed', async () => {
    const chain = await startChain({ mining: 'auto', faults: 'missed-receipt' })
    expect(await sendSync(chain, 0, 'standard')).toMatchObject({ status: '0x1' })
  })

  it('does not delay an error that needs no wait', async () => {
    const chain = await startChain({ faults: 'missed-receipt' })
    expect(await sendSync(chain, 5)).toMatch(/^error 5 /)
  })
})

describe('faults of the preconf view', () => {
  it('do not change the standard view and the sealed blocks', async () => {
    const observe = async (faults: object) => {
      const chain = await startChain({ faults })
      await buildBlocks(chain)
      const { block } = await chain.seal()
      const [standard] = (await dump(chain)) as [unknown]
      return { hash: block.hash, standard }
    }
    const { stale, ...others } = {
      stale: { pendingBehind: 2 },
      boundary: { headAtBoundary: true },
      lost: { losePreconfBlockEvery: 1 },
      repeated: { repeatPreconfBlockEvery: 1 },
      zero: { zeroHash: true },
      context: { contextBehind: 1 },
    }
    const untouched = await observe({})
    for (const faults of [stale, ...Object.values(others)]) expect(await observe(faults)).toEqual(untouched)
  })
})
