import type { Address } from '../../base/types.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { Heap } from './heap.ts'
import { type Entry, tipOf } from './senderQueue.ts'

interface Head {
  readonly run: readonly Entry[]
  readonly index: number
  readonly entry: Entry
  readonly tip: bigint
}

/**
 * The transactions that are executable when it is created, best first; later changes of the mempool do not
 * affect it.
 *
 * Each sender's transactions come in nonce order. Among the senders' next transactions, the one with the highest
 * effective tip comes first, and of equal tips the one that arrived first; under `fifo` only the arrival counts.
 */
export class BestTransactions implements IterableIterator<Transaction> {
  readonly #heads: Heap<Head>
  readonly #baseFee: bigint
  readonly #skipped = new Set<Address>()

  /** @param runs - per sender the entries that can execute, nonces rising without a gap; kept, not copied. */
  constructor(runs: Iterable<readonly Entry[]>, baseFee: bigint, ordering: 'fees' | 'fifo') {
    this.#baseFee = baseFee
    const heads: Head[] = []
    for (const run of runs) {
      const head = this.#head(run, 0)
      if (head) heads.push(head)
    }
    this.#heads = new Heap(ordering === 'fees' ? hasHigherTip : arrivedEarlier, heads)
  }

  /** Skips the remaining transactions of a sender: its last one was not included, so its later nonces cannot be. */
  skip(sender: Address): void {
    this.#skipped.add(sender)
  }

  /** The next transaction. */
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

  /** Returns itself: a transaction that was taken is not offered again. */
  [Symbol.iterator](): this {
    return this
  }

  #head(run: readonly Entry[], index: number): Head | undefined {
    const entry = run[index]
    return entry && { run, index, entry, tip: tipOf(entry, this.#baseFee) }
  }
}

function hasHigherTip(a: Head, b: Head): boolean {
  return a.tip > b.tip || (a.tip === b.tip && arrivedEarlier(a, b))
}

function arrivedEarlier(a: Head, b: Head): boolean {
  return a.entry.arrival < b.entry.arrival
}
