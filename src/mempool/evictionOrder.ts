import { Heap } from './heap.ts'
import type { Entry, SenderQueue } from './senderQueue.ts'

/** How much a full mempool would miss a transaction. */
export interface Worth {
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

/** Whether `a` is evicted before `b`: first what has a gap before it, then the lower tip, then the later arrival. */
export function isWorthLess(a: Worth, b: Worth): boolean {
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

  /** The transaction to give up first at a base fee; undefined if nothing waits. */
  first(
    queues: ReadonlyMap<unknown, SenderQueue>,
    baseFee: bigint,
  ): { entry: Entry; worth: Worth } | undefined {
    // Outdated candidates stay in the heap until they surface; rebuilding bounds how many there are.
    if (!this.#heap || this.#baseFee !== baseFee || this.#heap.size > 2 * queues.size + 64) {
      this.#baseFee = baseFee
      this.#heap = this.#build(queues.values())
    }
    for (let top = this.#heap.peek(); top; top = this.#heap.peek()) {
      if (top.version === top.queue.version) return { entry: top.last, worth: top }
      this.#heap.pop()
    }
    return undefined
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
    return { queue, version: queue.version, last, gapped, tip, arrival: last.arrival }
  }
}
