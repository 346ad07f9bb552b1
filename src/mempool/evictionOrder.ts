import { Heap } from './heap.ts'
import { type Entry, type SenderQueue, tipOf } from './senderQueue.ts'
import type { MempoolOptions } from './source.ts'

/** How much a full mempool would miss a transaction. */
interface Worth {
  /** Whether it was included before. */
  readonly wasIncluded: boolean
  /** Whether a nonce before it is missing. */
  readonly gapped: boolean
  /** The lowest effective tip up to it in its sender's queue: it cannot be included before that one. */
  readonly tip: bigint
  readonly arrival: number
}

interface Candidate extends Worth {
  readonly queue: SenderQueue
  readonly version: number
  readonly last: Entry
}

/**
 * Whether `a` is evicted before `b`: first what was never included, then what has a gap before it, then the lower tip,
 * then the later arrival.
 */
function isWorthLess(a: Worth, b: Worth): boolean {
  if (a.wasIncluded !== b.wasIncluded) return b.wasIncluded
  if (a.gapped !== b.gapped) return a.gapped
  return a.tip === b.tip ? a.arrival > b.arrival : a.tip < b.tip
}

/**
 * Which transaction a full mempool gives up first: always the last of a sender's queue, so no gap is torn.
 *
 * Owns an order over senders, built when first asked for and again when the base fee or account nonces moved;
 * single queues that changed meanwhile are noted by `touch`. Does not own the queues.
 */
export class EvictionOrder {
  readonly #nonceOf: (queue: SenderQueue) => bigint
  #heap: Heap<Candidate> | undefined
  #baseFee = 0n

  constructor(nonceOf: (queue: SenderQueue) => bigint) {
    this.#nonceOf = nonceOf
  }

  /** The transaction to give up for a newcomer to a queue; undefined if none is worth less than the newcomer. */
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
    const worth = {
      wasIncluded,
      gapped: queue.gapFrom(this.#nonceOf(queue)) !== transaction.nonce,
      tip: below !== undefined && below < tip ? below : tip,
      arrival,
    }
    return first && isWorthLess(first, worth) ? first.last : undefined
  }

  /**
   * What exceeds the limits: in the queue of each sender the highest nonces, then what is worth least of all. What was
   * included before is not given up, nor what comes before it in its queue. Each is to be taken out before the next is
   * asked for.
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

  /** Notes that a queue changed. */
  touch(queue: SenderQueue): void {
    const candidate = this.#heap && this.#candidate(queue)
    if (candidate) this.#heap?.push(candidate)
  }

  /** Forgets the order: account nonces moved. */
  reset(): void {
    this.#heap = undefined
  }

  /** The transaction to give up first at a base fee; undefined if nothing waits. */
  #first(queues: ReadonlyMap<unknown, SenderQueue>, baseFee: bigint): Candidate | undefined {
    // Outdated candidates stay in the heap until they surface; rebuilding bounds how many there are.
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
    return new Heap<Candidate>(isWorthLess, candidates)
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
