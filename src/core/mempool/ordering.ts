/** The orders of waiting transactions: into a block, and out of a full mempool. */

import { option } from '../../base/options/option.ts'
import { choice } from '../../base/options/optionSchemas.ts'
import type { Address } from '../../base/types.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { type Entry, type SenderQueue, tipOf } from './senderQueue.ts'

/** Which transaction goes first: with `'fees'` the higher priority fee, then the earlier; with `'fifo'` the earlier. */
export type MempoolOrdering = 'fees' | 'fifo'

/** Whether `a` goes first, by ordering. Two transactions never tie, so that equal chains have equal blocks. */
const ORDERINGS: Readonly<Record<MempoolOrdering, (a: Head, b: Head) => boolean>> = {
  fees: (a, b) => a.tip > b.tip || (a.tip === b.tip && arrivedEarlier(a, b)),
  fifo: arrivedEarlier,
}

function arrivedEarlier(a: Head, b: Head): boolean {
  return a.entry.arrival < b.entry.arrival
}

/** Which transaction goes first: with `'fees'` the one with the higher priority fee, with `'fifo'` the earlier. */
export const ordering = option(choice(Object.keys(ORDERINGS) as MempoolOrdering[]), { default: 'fees' })

/** The limits and the order of a mempool. */
export interface MempoolOptions {
  /** The maximum number of waiting transactions; at least 1. */
  readonly maxTransactions: number
  /** The maximum number of waiting transactions per sender; at least 1. */
  readonly maxPerSender: number
  /** Percent by which a replacement must raise both fees, or all three between blob transactions; a whole number. */
  readonly priceBump: number
  readonly ordering: MempoolOrdering
}

/** The next transaction of a sender. */
interface Head {
  readonly run: readonly Entry[]
  readonly index: number
  readonly entry: Entry
  readonly tip: bigint
}

/**
 * Yields the transactions that were executable when the iterator was created, best first.
 *
 * Transactions of one sender come in nonce order; the ordering chooses among the next transactions of all senders.
 */
export class BestTransactions implements IterableIterator<Transaction> {
  readonly #heads: Heap<Head>
  readonly #baseFee: bigint
  readonly #skipped = new Set<Address>()

  /** @param runs - the executable entries of each sender, by consecutive nonces. The arrays are not copied. */
  constructor(runs: Iterable<readonly Entry[]>, baseFee: bigint, ordering: MempoolOrdering) {
    this.#baseFee = baseFee
    const heads: Head[] = []
    for (const run of runs) {
      const head = this.#head(run, 0)
      if (head) heads.push(head)
    }
    this.#heads = new Heap(ORDERINGS[ordering], heads)
  }

  /** Skips the remaining transactions of a sender. Called after one was not included. */
  skip(sender: Address): void {
    this.#skipped.add(sender)
  }

  next(): IteratorResult<Transaction, undefined> {
    for (let head = this.#heads.pop(); head; head = this.#heads.pop()) {
      const { transaction } = head.entry
      if (this.#skipped.has(transaction.from)) continue
      const successor = this.#head(head.run, head.index + 1)
      if (successor) this.#heads.push(successor)
      return { done: false, value: transaction }
    }
    return { done: true, value: undefined }
  }

  [Symbol.iterator](): this {
    return this
  }

  #head(run: readonly Entry[], index: number): Head | undefined {
    const entry = run[index]
    return entry && { run, index, entry, tip: tipOf(entry, this.#baseFee) }
  }
}

/** Determines the position of a transaction in the order of eviction. */
interface Rank {
  readonly wasIncluded: boolean
  /** Whether an earlier nonce is missing. */
  readonly gapped: boolean
  /** The lowest effective tip in the sender's queue up to the transaction: a block includes the predecessors first. */
  readonly tip: bigint
  readonly arrival: number
}

interface Candidate extends Rank {
  readonly queue: SenderQueue
  readonly version: number
  readonly last: Entry
}

/**
 * Whether `a` is evicted before `b`. The first difference decides: a transaction goes first if it was never included,
 * if it comes after a nonce gap, if its tip is lower, if it arrived later.
 */
function ranksBelow(a: Rank, b: Rank): boolean {
  if (a.wasIncluded !== b.wasIncluded) return b.wasIncluded
  if (a.gapped !== b.gapped) return a.gapped
  return a.tip === b.tip ? a.arrival > b.arrival : a.tip < b.tip
}

/**
 * Selects the transactions to evict from a full mempool: always the last of a sender's queue, so that no gap appears.
 *
 * Owns: the order of senders, built on first use, and again when the base fee or account nonces change. Does not own
 * the queues: callers pass each changed queue to `touch`.
 */
export class EvictionOrder {
  readonly #queues: ReadonlyMap<Address, SenderQueue>
  readonly #nonceOf: (address: Address) => bigint
  #heap: Heap<Candidate> | undefined
  #baseFee = 0n

  constructor(queues: ReadonlyMap<Address, SenderQueue>, nonceOf: (address: Address) => bigint) {
    this.#queues = queues
    this.#nonceOf = nonceOf
  }

  /** Returns the entry to evict for a new one in `queue`; undefined if none ranks below the new one. */
  firstBelow(newcomer: Entry, queue: SenderQueue, baseFee: bigint): Entry | undefined {
    const { transaction, arrival, wasIncluded } = newcomer
    const first = this.#first(baseFee)
    const tip = tipOf(newcomer, baseFee)
    const below = queue.lowestTipBelow(transaction.nonce, baseFee)
    const rank = {
      wasIncluded,
      gapped: queue.gapFrom(this.#nonceOf(queue.sender)) !== transaction.nonce,
      tip: below !== undefined && below < tip ? below : tip,
      arrival,
    }
    return first && ranksBelow(first, rank) ? first.last : undefined
  }

  /**
   * Yields the entries that exceed the limits: first the highest nonces of each sender, then the lowest ranks of all.
   * Skips transactions that were included before, and their predecessors. The caller must remove each entry before it
   * takes the next.
   */
  *excess(
    pool: { readonly size: number },
    { maxPerSender, maxTransactions }: Pick<MempoolOptions, 'maxPerSender' | 'maxTransactions'>,
    baseFee: bigint,
  ): Generator<Entry> {
    for (const { entries } of this.#queues.values()) {
      while (entries.length > maxPerSender && !entries.at(-1)!.wasIncluded) yield entries.at(-1)!
    }
    while (pool.size > maxTransactions) {
      const first = this.#first(baseFee)
      if (first === undefined || first.wasIncluded) return
      yield first.last
    }
  }

  touch(queue: SenderQueue): void {
    const candidate = this.#heap && this.#candidate(queue)
    if (candidate) this.#heap?.push(candidate)
  }

  /** Discards the order. Call this after account nonces changed. */
  reset(): void {
    this.#heap = undefined
  }

  /** Returns the entry to evict first; undefined if nothing waits. */
  #first(baseFee: bigint): Candidate | undefined {
    // Outdated elements stay in the heap until they reach the top. Rebuilding the heap limits their number.
    if (!this.#heap || this.#baseFee !== baseFee || this.#heap.size > 2 * this.#queues.size + 64) {
      this.#baseFee = baseFee
      this.#heap = this.#build()
    }
    for (let top = this.#heap.peek(); top; top = this.#heap.peek()) {
      if (top.version === top.queue.version) return top
      this.#heap.pop()
    }
    return undefined
  }

  #build(): Heap<Candidate> {
    const candidates: Candidate[] = []
    for (const queue of this.#queues.values()) {
      const candidate = this.#candidate(queue)
      if (candidate) candidates.push(candidate)
    }
    return new Heap<Candidate>(ranksBelow, candidates)
  }

  #candidate(queue: SenderQueue): Candidate | undefined {
    const last = queue.entries[queue.entries.length - 1]
    const tip = queue.lowestTip(this.#baseFee)
    if (!last || tip === undefined) return undefined
    const gapped = queue.gapFrom(this.#nonceOf(queue.sender)) <= last.transaction.nonce
    const { arrival, wasIncluded } = last
    return { queue, version: queue.version, last, wasIncluded, gapped, tip, arrival }
  }
}

/** A binary heap. The top is the element that `before` orders first. */
class Heap<T> {
  readonly #items: T[]
  readonly #before: (a: T, b: T) => boolean

  /** @param items - the initial elements, ordered in linear time. The heap takes over the array. */
  constructor(before: (a: T, b: T) => boolean, items: T[] = []) {
    this.#before = before
    this.#items = items
    for (let i = (items.length >> 1) - 1; i >= 0; i--) this.#sink(i)
  }

  get size(): number {
    return this.#items.length
  }

  /** Returns the top; undefined if the heap is empty. */
  peek(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    const items = this.#items
    let i = items.push(item) - 1
    while (i > 0) {
      const parent = (i - 1) >> 1
      const above = items[parent] as T
      if (!this.#before(item, above)) break
      items[i] = above
      i = parent
    }
    items[i] = item
  }

  /** Removes and returns the top; undefined if the heap is empty. */
  pop(): T | undefined {
    const top = this.#items[0]
    const last = this.#items.pop()
    if (this.#items.length > 0) {
      this.#items[0] = last as T
      this.#sink(0)
    }
    return top
  }

  #sink(from: number): void {
    const items = this.#items
    const item = items[from] as T
    let i = from
    for (;;) {
      let child = 2 * i + 1
      if (child >= items.length) break
      if (child + 1 < items.length && this.#before(items[child + 1] as T, items[child] as T)) child++
      const below = items[child] as T
      if (!this.#before(below, item)) break
      items[i] = below
      i = child
    }
    items[i] = item
  }
}
