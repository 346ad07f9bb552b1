/**
 * Owns: the blocks with logs, by hash; per address and topic, the ascending numbers of the blocks that contain it. Does
 * not own which block is canonical: callers of `query` pass it.
 *
 * A query takes the block numbers of each criterion, intersects the shortest list with the rest, and matches the logs
 * of the blocks that are left.
 */

import type { Address, Hash, Hex, MaybePromise } from '../../base/types.ts'
import type { Pause } from '../../base/waiting.ts'
import type { Block, Log, Receipt } from '../../ethereum/block.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { TooManyLogsError } from './errors.ts'

/**
 * Selects logs (spec.md §2.3). Has the field names of the wire, so that the same object can be sent to a forked node.
 * All hex is in lower case.
 */
export interface LogQuery {
  /** Matches logs of any of these contracts. If absent or empty, logs of every contract match. */
  readonly address?: readonly Address[]
  /** Matches any of these topics at each position. A null or empty position matches any one topic. */
  readonly topics?: readonly (readonly Hash[] | null)[]
}

/**
 * Whether a log matches a query. The index and the bloom filters of stored headers only select the blocks whose logs
 * are then matched here; see {@link criteriaOf}.
 */
export function matchesFilter(log: Pick<IndexedLog, 'address' | 'topics'>, query: LogQuery): boolean {
  const { address, topics } = query
  if (address && address.length > 0 && !address.includes(log.address)) return false
  if (!topics) return true
  if (topics.length > log.topics.length) return false
  return topics.every((wanted, i) => !wanted || wanted.length === 0 || wanted.includes(log.topics[i]!))
}

/** Returns lists of addresses and topics. A block with a match has an item of each list, at any position. */
export function criteriaOf({ address = [], topics = [] }: LogQuery): readonly (readonly Hex[])[] {
  return [address, ...topics].filter((keys) => keys !== null && keys.length > 0) as (readonly Hex[])[]
}

/** How many logs and blocks a query visits between two calls of `pause`. */
const STEPS_PER_PAUSE = 64

/** How many binary searches may intersect one criterion. Beyond that, scanning the logs is faster. */
const MAX_SEARCHES = 100_000

/** Ascending block numbers, each once. */
type Posting = number[]

/** See the file's header. */
export class LogIndex {
  readonly #blocks = new Map<Hash, LoggedBlock>()
  /** The same blocks by ascending number, which several may share. */
  readonly #byNumber: LoggedBlock[] = []
  readonly #postings = new Map<Address | Hash, Posting>()

  /** Adds a block, unless it is known or has no logs. */
  add(block: LoggedBlock): void {
    if (block.receipts.every(({ logs }) => logs.length === 0) || this.#blocks.has(block.hash)) return
    const number = numberOf(block)
    this.#blocks.set(block.hash, block)
    this.#byNumber.splice(lowerBound(this.#byNumber, number + 1, numberOf), 0, block)
    for (const key of keysOf(block)) post(this.#postings, key, number)
  }

  /** Removes a block. Does nothing if the block is unknown. */
  remove(blockHash: Hash): void {
    const block = this.#blocks.get(blockHash)
    if (!block) return
    this.#blocks.delete(blockHash)
    const number = numberOf(block)
    const first = lowerBound(this.#byNumber, number, numberOf)
    removeAt(this.#byNumber, this.#byNumber.indexOf(block, first))

    const kept = new Set<Address | Hash>()
    for (let i = first; this.#byNumber[i]?.number === block.number; i++) {
      for (const key of keysOf(this.#byNumber[i]!)) kept.add(key)
    }
    for (const key of keysOf(block)) if (!kept.has(key)) unpost(this.#postings, key, number)
  }

  /**
   * Returns the matching logs of the blocks from `from` to `to` that are `canonical` at their number, in order. Blocks
   * added or removed meanwhile have no effect.
   *
   * @throws TooManyLogsError if more than `limit` logs match.
   */
  query(
    filter: LogQuery,
    from: bigint,
    to: bigint,
    canonical: (number: number) => Hash | undefined,
    limit: number,
    pause: Pause,
  ): MaybePromise<IndexedLog[]> {
    const candidates = this.#candidates(filter, Number(from), Number(to))
    // No promise if nothing can match, as for most queries of polling clients.
    return candidates.length === 0 ? [] : collect(candidates, filter, canonical, limit, pause)
  }

  /** Returns the blocks that may contain a match, by ascending number. */
  #candidates(filter: LogQuery, first: number, last: number): readonly LoggedBlock[] {
    const blocks = this.#byNumber
    let at = lowerBound(blocks, first, numberOf)
    const end = lowerBound(blocks, last + 1, numberOf, at)
    const numbers = this.#matchingNumbers(filter, first, last, end - at)
    if (numbers === undefined) return blocks.slice(at, end)
    const candidates: LoggedBlock[] = []
    for (const number of numbers) {
      at = lowerBound(blocks, number, numberOf, at, end)
      for (; at < blocks.length && numberOf(blocks[at]!) === number; at++) candidates.push(blocks[at]!)
    }
    return candidates
  }

  /**
   * Returns the numbers of the blocks that may contain a match, ascending. Undefined if the filter has no criteria, or
   * if scanning all `count` blocks is faster.
   */
  #matchingNumbers(
    filter: LogQuery,
    first: number,
    last: number,
    count: number,
  ): readonly number[] | undefined {
    const criteria = criteriaOf(filter).map((keys) => criterion(this.#postings, keys, first, last))
    criteria.sort((a, b) => a.size - b.size)
    const [shortest, ...others] = criteria
    if (shortest === undefined || shortest.size > count) return undefined
    let numbers: readonly number[] = union(shortest)
    for (const other of others) {
      if (numbers.length * other.slices.length <= MAX_SEARCHES) numbers = intersect(numbers, other)
    }
    return numbers
  }
}

async function collect(
  blocks: readonly LoggedBlock[],
  filter: LogQuery,
  canonical: (number: number) => Hash | undefined,
  limit: number,
  pause: Pause,
): Promise<IndexedLog[]> {
  const found: IndexedLog[] = []
  let steps = 0
  for (const block of blocks) {
    const { receipts } = block
    const length = canonical(numberOf(block)) === block.hash ? receipts.length : 0
    for (let index = 0; index < length; index++) {
      const { logs } = receipts[index]!
      for (let at = 0; at < logs.length; at++) {
        if (++steps % STEPS_PER_PAUSE === 0) await pause()
        if (!matchesFilter(logs[at]!, filter)) continue
        if (found.length >= limit) throw new TooManyLogsError(limit)
        found.push(indexLog(block, index, at))
      }
    }
    if (++steps % STEPS_PER_PAUSE === 0) await pause()
  }
  return found
}

/** One condition of a filter. A block qualifies if any slice contains its number. */
interface Criterion {
  /** The parts of postings in the range of the query, `end` excluded. */
  readonly slices: readonly { readonly posting: Posting; readonly start: number; readonly end: number }[]
  readonly size: number
}

function criterion(
  postings: ReadonlyMap<Hex, Posting>,
  keys: readonly Hex[],
  first: number,
  last: number,
): Criterion {
  const slices: Criterion['slices'][number][] = []
  let size = 0
  for (const key of new Set(keys)) {
    const posting = postings.get(key)
    if (!posting) continue
    const start = lowerBound(posting, first, identity)
    const end = lowerBound(posting, last + 1, identity, start)
    if (end <= start) continue
    slices.push({ posting, start, end })
    size += end - start
  }
  return { slices, size }
}

function union({ slices }: Criterion): number[] {
  const all = slices.flatMap(({ posting, start, end }) => posting.slice(start, end))
  if (slices.length < 2) return all
  all.sort((a, b) => a - b)
  return all.filter((number, i) => number !== all[i - 1])
}

function intersect(numbers: readonly number[], { slices }: Criterion): number[] {
  // Both sides ascend, so each search continues where the last one ended.
  const cursors = slices.map((slice) => slice.start)
  return numbers.filter((number) =>
    slices.some(({ posting, end }, i) => {
      const at = lowerBound(posting, number, identity, cursors[i], end)
      cursors[i] = at
      return at < end && posting[at] === number
    }),
  )
}

function* keysOf(block: LoggedBlock): Iterable<Address | Hash> {
  for (const { logs } of block.receipts) {
    for (const { address, topics } of logs) {
      yield address
      yield* topics
    }
  }
}

function post(postings: Map<Hex, Posting>, key: Hex, number: number): void {
  const posting = postings.get(key)
  const last = posting?.at(-1)
  if (posting === undefined) postings.set(key, [number])
  else if (last! < number) posting.push(number)
  else if (last !== number) {
    const at = lowerBound(posting, number, identity)
    if (posting[at] !== number) posting.splice(at, 0, number)
  }
}

function unpost(postings: Map<Hex, Posting>, key: Hex, number: number): void {
  const posting = postings.get(key)
  if (!posting) return
  const at = lowerBound(posting, number, identity)
  if (posting[at] === number) removeAt(posting, at)
  if (posting.length === 0) postings.delete(key)
}

function removeAt(items: unknown[], index: number): void {
  // Once the history is full, each new block removes the first item. `shift` is cheap unless the array is very large.
  if (index === 0) items.shift()
  else items.splice(index, 1)
}

const identity = (number: number): number => number
const numberOf = (block: LoggedBlock): number => Number(block.number)

/** Returns the index of the first item in `items[start…end)` whose number is at least `number`. */
function lowerBound<T>(
  items: readonly T[],
  number: number,
  of: (item: T) => number,
  start = 0,
  end = items.length,
): number {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (of(items[middle]!) < number) low = middle + 1
    else high = middle
  }
  return low
}

/** A log of a block with its position in the chain, which is computed on read to keep blocks small. */
export interface IndexedLog {
  readonly address: Address
  readonly topics: readonly Hash[]
  readonly data: Hex
  readonly blockHash: Hash
  readonly blockNumber: bigint
  /** Unix time in seconds. */
  readonly blockTimestamp: bigint
  readonly transactionHash: Hash
  readonly transactionIndex: number
  /** Position within the block. */
  readonly logIndex: number
}

/** The parts of a block that its logs are read from. */
export interface LoggedBlock extends Pick<Block, 'hash' | 'number' | 'timestamp'> {
  readonly transactions: readonly Pick<Transaction, 'hash'>[]
  readonly receipts: readonly Pick<Receipt, 'logs' | 'firstLogIndex'>[]
}

/** Returns the logs of a block with their positions. */
export function indexLogs(block: LoggedBlock): IndexedLog[] {
  return block.receipts.flatMap((_, index) => indexTransactionLogs(block, index))
}

/** Returns the logs of one transaction with their positions. */
export function indexTransactionLogs(block: LoggedBlock, transactionIndex: number): IndexedLog[] {
  return block.receipts[transactionIndex]!.logs.map((_, i) => indexLog(block, transactionIndex, i))
}

function indexLog(block: LoggedBlock, transactionIndex: number, at: number): IndexedLog {
  const { firstLogIndex, logs } = block.receipts[transactionIndex]!
  return placeLog(logs[at]!, block, transactionIndex, firstLogIndex + at)
}

/** Returns a log with its position in a block. */
export function placeLog(
  { address, topics, data }: Log,
  { hash, number, timestamp, transactions }: Omit<LoggedBlock, 'receipts'>,
  transactionIndex: number,
  logIndex: number,
): IndexedLog {
  return {
    address,
    topics,
    data,
    blockHash: hash,
    blockNumber: number,
    blockTimestamp: timestamp,
    transactionHash: transactions[transactionIndex]!.hash,
    transactionIndex,
    logIndex,
  }
}
