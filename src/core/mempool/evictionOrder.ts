import { Heap } from './heap.ts'
import { type Entry, type SenderQueue, tipOf } from './senderQueue.ts'
import type { MempoolOptions } from './source.ts'

/** What the place of a transaction in the order of eviction depends on. */
interface Rank {
  /** Whether it was included before. */
  readonly wasIncluded: boolean
  /** Whether a nonce before it is missing. */
  readonly gapped: boolean
  /** The lowest effective tip in its sender's queue up to it, since its predecessors are included first. */
  readonly tip: bigint
  readonly arrival: number
}

interface Candidate extends Rank {
  readonly queue: SenderQueue
  readonly version: number
  readonly last: Entry
}

/**
 * Whether `a` ranks below `b` and is evicted first: the one that was never included, then the one after a nonce gap,
 * then the lower tip, then the later arrival.
 */
function ranksBelow(a: Rank, b: Rank): boolean {
  if (a.wasIncluded !== b.wasIncluded) return b.wasIncluded
  if (a.gapped !== b.gapped) return a.gapped
  return a.tip === b.tip ? a.arrival > b.arrival : a.tip < b.tip
}

/**
 * Which transaction a full mempool evicts first: always the last of a sender's queue, so eviction leaves no nonce gap.
 *
 * Owns an order over senders, built on first use and again after the base fee or account nonces changed;
 * `touch` marks single queues that changed since then. Does not own the queues.
 */
export class EvictionOrder {
  readonly #nonceOf: (queue: SenderQueue) => bigint
  #heap: Heap<Candidate> | undefined
  #baseFee = 0n

  constructor(nonceOf: (queue: SenderQueue) => bigint) {
    this.#nonceOf = nonceOf
  }

  /** The transaction to evict for a new one in a queue; undefined if none ranks below the new one. */
  firstBelow(
    newcomer: Entry,
    queue: SenderQueue,
    queues: ReadonlyMap<unknown, SenderQueue>,
    baseFee: bigint,
  ): Entry | undefined {
    const { transaction, arrival, wasIncluded } = newcomer
    const first = this.#first(queues, baseFee)
    const tip = tipOf(newcomer, baseFee)
    const below = queue.lowestTipBelow(transaction.nonce, baseFee)
    const rank = {
      wasIncluded,
      gapped: queue.gapFrom(this.#nonceOf(queue)) !== transaction.nonce,
      tip: below !== undefined && below < tip ? below : tip,
      arrival,
    }
    return first && ranksBelow(first, rank) ? first.last : undefined
  }

  /**
   * The entries beyond the limits: in each sender's queue the highest nonces, then the lowest ranks over all queues.
   * Transactions that were included before are not evicted, nor those before them in their queue. The caller removes
   * each before it takes the next.
   */
  *excess(
    pool: { readonly size: number },
    queues: ReadonlyMap<unknown, SenderQueue>,
    { maxPerSender, maxTransactions }: Pick<MempoolOptions, 'maxPerSender' | 'maxTransactions'>,
    baseFee: bigint,
  ): Generator<Entry> {
    for (const { entries } of queues.values()) {
      while (entries.length > maxPerSender && !entries.at(-1)!.wasIncluded) yield entries.at(-1)!
    }
    while (pool.size > maxTransactions) {
      const first = this.#first(queues, baseFee)
      if (first === undefined || first.wasIncluded) return
      yield first.last
    }
  }

  /** Marks a queue as changed. */
  touch(queue: SenderQueue): void {
    const candidate = this.#heap && this.#candidate(queue)
    if (candidate) this.#heap?.push(candidate)
  }

  /** Discards the order, after account nonces changed. */
  reset(): void {
    this.#heap = undefined
  }

  /** The transaction to evict first at a base fee; undefined if nothing waits. */
  #first(queues: ReadonlyMap<unknown, SenderQueue>, baseFee: bigint): Candidate | undefined {
    // Outdated elements stay in the heap until they reach its top; rebuilding bounds their number.
    if (!this.#heap || this.#baseFee !== baseFee || this.#heap.size > 2 * queues.size + 64) {
      this.#baseFee = baseFee
      this.#heap = this.#build(queues.values())
    }
    for (let top = this.#heap.peek(); top; top = this.#heap.peek()) {
      if (top.version === top.queue.version) return top
      this.#heap.pop()
    }
    return undefined
  }

  #build(queues: Iterable<SenderQueue>): Heap<Candidate> {
    const candidates: Candidate[] = []
    for (const queue of queues) {
      const candidate = this.#candidate(queue)
      if (candidate) candidates.push(candidate)
    }
    return new Heap<Candidate>(ranksBelow, candidates)
  }

  #candidate(queue: SenderQueue): Candidate | undefined {
    const last = queue.entries[queue.entries.length - 1]
    const tip = queue.lowestTip(this.#baseFee)
    if (!last || tip === undefined) return undefined
    const gapped = queue.gapFrom(this.#nonceOf(queue)) <= last.transaction.nonce
    const { arrival, wasIncluded } = last
    return { queue, version: queue.version, last, wasIncluded, gapped, tip, arrival }
  }
}
