import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Address, Hash, Hex } from '../../../src/base/types.ts'
import { TooManyLogsError } from '../../../src/core/ledger/errors.ts'
import {
  type IndexedLog,
  type LoggedBlock,
  LogIndex,
  type LogQuery,
  matchesFilter,
} from '../../../src/core/ledger/logIndex.ts'

const hex = (kind: string, n: number, bytes: number): Hex =>
  `0x${kind}${n.toString(16).padStart(bytes * 2 - kind.length, '0')}`
const address = (n: number): Address => hex('a', n, 20)
const topic = (n: number): Hash => hex('7', n, 32)
const blockHash = (n: number): Hash => hex('b', n, 32)

/** The contents of a log; its position follows from the block. */
interface LogFields {
  address: Address
  topics: Hash[]
}

function block(hash: Hash, number: number, fields: readonly LogFields[]): IndexedLog[] {
  return fields.map((log, logIndex) => ({
    ...log,
    data: '0x',
    blockHash: hash,
    blockNumber: BigInt(number),
    blockTimestamp: BigInt(number) * 2n,
    transactionHash: hex('c', logIndex, 32),
    transactionIndex: logIndex,
    logIndex,
  }))
}

/** The block of these logs, each in a transaction of its own. */
function blockOf(hash: Hash, number: number, fields: readonly LogFields[]): LoggedBlock {
  return {
    hash,
    number: BigInt(number),
    timestamp: BigInt(number) * 2n,
    transactions: fields.map((_, index) => ({ hash: hex('c', index, 32) })),
    receipts: fields.map((log, firstLogIndex) => ({ logs: [{ ...log, data: '0x' }], firstLogIndex })),
  }
}

/** The indexed logs of one block. */
const logsOf = (index: LogIndex, hash: Hash, number: number) =>
  index.query({}, BigInt(number), BigInt(number), () => hash, Number.POSITIVE_INFINITY, noYield)

describe('matchesFilter', () => {
  const log: LogFields = { address: address(1), topics: [topic(1), topic(2)] }

  it.each<[string, LogQuery, boolean]>([
    ['an empty filter', {}, true],
    ['empty lists', { address: [], topics: [] }, true],
    ['the address', { address: [address(1)] }, true],
    ['one of several addresses', { address: [address(2), address(1)] }, true],
    ['another address', { address: [address(2)] }, false],
    ['the first topic', { topics: [[topic(1)]] }, true],
    ['one of several topics', { topics: [[topic(3), topic(1)]] }, true],
    ['a topic at another position', { topics: [[topic(2)]] }, false],
    ['any first topic, then the second', { topics: [null, [topic(2)]] }, true],
    ['an empty position, then the second', { topics: [[], [topic(2)]] }, true],
    ['the first topic, but another second', { topics: [[topic(1)], [topic(1)]] }, false],
    ['as many open positions as topics', { topics: [null, null] }, true],
    ['more open positions than topics', { topics: [null, null, null] }, false],
    ['the topics of another address', { address: [address(2)], topics: [[topic(1)]] }, false],
  ])('%s', (_name, filter, expected) => {
    expect(matchesFilter(log, filter)).toBe(expected)
  })
})

const noYield = () => undefined

describe('LogIndex', () => {
  const fields: LogFields[] = [
    { address: address(1), topics: [topic(1)] },
    { address: address(2), topics: [] },
    { address: address(1), topics: [topic(2), topic(1)] },
  ]

  function indexOf(...numbers: number[]) {
    const index = new LogIndex()
    for (const number of numbers) {
      index.add(blockOf(blockHash(number), number, fields))
    }
    return index
  }

  it('answers in block, then log order, both ends of the range included', async () => {
    const index = indexOf(5, 6, 7, 8)
    const found = await index.query({ address: [address(1)] }, 6n, 7n, blockHash, 10, noYield)
    expect(found.map((log) => [log.blockNumber, log.logIndex])).toEqual([
      [6n, 0],
      [6n, 2],
      [7n, 0],
      [7n, 2],
    ])
    expect(found[0]).toEqual(block(blockHash(6), 6, fields)[0])
  })

  it('accepts a range beyond all blocks, and a reversed one', async () => {
    const index = indexOf(1, 2)
    const filters: LogQuery[] = [{}, { topics: [[topic(1)]] }]
    for (const filter of filters) {
      const all = await index.query(filter, 0n, 2n ** 64n - 1n, blockHash, 10, noYield)
      expect(all).toHaveLength(filter.topics ? 2 : 6)
      expect(await index.query(filter, 3n, 2n ** 64n - 1n, blockHash, 10, noYield)).toEqual([])
      expect(await index.query(filter, 2n, 1n, blockHash, 10, noYield)).toEqual([])
    }
  })

  it('returns only canonical logs, and those of the old branch once it is canonical again', async () => {
    const index = indexOf(1, 2)
    const fork = hex('f', 2, 32)
    index.add(blockOf(fork, 2, [{ address: address(1), topics: [] }]))
    const count = async (canonical: (number: number) => Hash | undefined, filter: LogQuery) => {
      const logs = await index.query(filter, 0n, 9n, canonical, 10, noYield)
      return logs.map((log) => log.blockHash)
    }

    const forked = (number: number) => (number === 2 ? fork : blockHash(number))
    const cut = (number: number) => (number < 2 ? blockHash(number) : undefined)
    for (const filter of [{ address: [address(1)] }, { address: [address(1)], topics: [] }]) {
      expect(await count(forked, filter)).toEqual([blockHash(1), blockHash(1), fork])
      expect(await count(cut, filter)).toEqual([blockHash(1), blockHash(1)])
      expect(await count(blockHash, filter)).toEqual([1, 1, 2, 2].map(blockHash))
    }
    expect(await count(forked, {})).toEqual([...[1, 1, 1].map(blockHash), fork])
    expect(await count(cut, {})).toEqual([1, 1, 1].map(blockHash))
  })

  it('rejects answers above the limit', async () => {
    const index = indexOf(1, 2)
    expect(await index.query({}, 1n, 2n, blockHash, 6, noYield)).toHaveLength(6)
    await expect(index.query({}, 1n, 2n, blockHash, 5, noYield)).rejects.toThrow(TooManyLogsError)
    const some = index.query({ address: [address(1)] }, 1n, 2n, blockHash, 3, noYield)
    await expect(some).rejects.toThrow('more than 3 logs')
  })

  it('answers from the index at the time of the query, despite changes while it yields', async () => {
    const index = indexOf(...Array.from({ length: 100 }, (_, i) => i))
    const all = await index.query({}, 0n, 99n, blockHash, 1000, noYield)
    const one = await index.query({ address: [address(2)] }, 0n, 99n, blockHash, 1000, noYield)
    for (const [filter, expected] of [
      [{}, all],
      [{ address: [address(2)] }, one],
    ] as const) {
      let pauses = 0
      const found = await index.query(filter, 0n, 99n, blockHash, 1000, () => {
        pauses += 1
        for (let number = 0; number < 100; number++) index.remove(blockHash(number))
        return Promise.resolve()
      })
      expect(found).toEqual(expected)
      expect(pauses).toBeGreaterThan(0)
      for (let number = 0; number < 100; number++) {
        index.add(blockOf(blockHash(number), number, fields))
      }
    }
  })

  it('returns the logs of one block, and none after its removal', async () => {
    const index = indexOf(1, 2)
    expect(await logsOf(index, blockHash(1), 1)).toEqual(block(blockHash(1), 1, fields))
    index.remove(blockHash(1))
    expect(await logsOf(index, blockHash(1), 1)).toEqual([])
    expect(await logsOf(index, blockHash(3), 3)).toEqual([])
    expect(await index.query({}, 0n, 9n, blockHash, 10, noYield)).toEqual(block(blockHash(2), 2, fields))
  })

  it('does not change a block that is added again, and ignores the removal of an unknown one', async () => {
    const index = indexOf(1)
    index.add(blockOf(blockHash(1), 1, []))
    index.add(blockOf(blockHash(1), 1, fields))
    index.remove(blockHash(2))
    expect(await index.query({}, 0n, 9n, blockHash, 10, noYield)).toEqual(block(blockHash(1), 1, fields))
  })

  it('still finds a block after another one of its number was removed', async () => {
    const index = indexOf(1, 2, 3)
    const fork = hex('f', 2, 32)
    index.add(blockOf(fork, 2, fields))
    index.remove(blockHash(2))
    const canonical = (number: number) => (number === 2 ? fork : blockHash(number))
    for (const filter of [{ address: [address(2)] }, { topics: [[topic(2)]] }, { topics: [null, null] }]) {
      const found = await index.query(filter, 0n, 9n, canonical, 10, noYield)
      expect(found.map((log) => log.blockHash)).toEqual([blockHash(1), fork, blockHash(3)])
    }
  })

  it('equals a naive scan for any blocks, forks, removals and filters', async () => {
    const anyAddress = fc.nat(2).map(address)
    const anyTopic = fc.nat(2).map(topic)
    const anyLog = fc.record({ address: anyAddress, topics: fc.array(anyTopic, { maxLength: 4 }) })
    const anyFilter: fc.Arbitrary<LogQuery> = fc.record(
      {
        address: fc.array(anyAddress, { maxLength: 2 }),
        topics: fc.array(fc.option(fc.array(anyTopic, { maxLength: 2 })), { maxLength: 5 }),
      },
      { requiredKeys: [] },
    )
    // Few numbers with two blocks each, so that forks, removals and re-added blocks interact.
    const last = 7
    const number = fc.nat(last)
    const blocks = 2 * (last + 1)
    const add = fc.record({ kind: fc.constant('add' as const), number, fork: fc.nat(1) })
    const remove = fc.record({ kind: fc.constant('remove' as const), number, fork: fc.nat(1) })
    const manySteps = fc.array(fc.oneof({ weight: 4, arbitrary: add }, { weight: 1, arbitrary: remove }), {
      maxLength: 40,
      size: 'max',
    })
    const contents = fc.array(fc.array(anyLog, { maxLength: 3 }), { minLength: blocks, maxLength: blocks })
    const branch = fc.array(fc.oneof({ weight: 5, arbitrary: fc.nat(1) }, fc.constant(undefined)), {
      minLength: last + 1,
      maxLength: last + 1,
    })
    const queries = fc.array(fc.tuple(anyFilter, number, number, branch), { minLength: 1, maxLength: 8 })

    await fc.assert(
      fc.asyncProperty(contents, manySteps, queries, fc.nat(30), async (all, steps, asked, limit) => {
        const index = new LogIndex()
        const present = new Map<Hash, IndexedLog[]>()
        const hashOf = (at: number, fork: number) => blockHash(at * 2 + fork)
        for (const { kind, number: at, fork } of steps) {
          const hash = hashOf(at, fork)
          const logs = block(hash, at, all[at * 2 + fork]!)
          if (kind === 'add') {
            index.add(blockOf(hash, at, all[at * 2 + fork]!))
            present.set(hash, logs)
          } else {
            index.remove(hash)
            present.delete(hash)
          }
        }
        for (const [filter, from, to, forks] of asked) {
          const canonical = (at: number) => (forks[at] === undefined ? undefined : hashOf(at, forks[at]))
          const expected: IndexedLog[] = []
          for (let at = from; at <= to; at++) {
            const logs = present.get(canonical(at) ?? '0x') ?? []
            expected.push(...logs.filter((log) => isMatch(log, filter)))
          }
          const ask = () => index.query(filter, BigInt(from), BigInt(to), canonical, limit, noYield)
          if (expected.length > limit) await expect(ask()).rejects.toThrow(TooManyLogsError)
          else expect(await ask()).toEqual(expected)
        }
        for (let at = 0; at <= last; at++) {
          for (let fork = 0; fork < 2; fork++) {
            const hash = hashOf(at, fork)
            expect(await logsOf(index, hash, at)).toEqual(present.get(hash) ?? [])
          }
        }
      }),
      { numRuns: 500 },
    )
  })
})

/** The filter of spec.md §2.3, implemented independently of the index. */
function isMatch(log: IndexedLog, filter: LogQuery): boolean {
  if (filter.address?.length && !filter.address.some((one) => one === log.address)) return false
  for (const [position, options] of (filter.topics ?? []).entries()) {
    const own = log.topics[position]
    if (own === undefined) return false
    if (options?.length && !options.some((one) => one === own)) return false
  }
  return true
}
