/** Why transactions left the mempool without being included: records of the last 10,000. */

import type { DropReason } from '../../base/eventTypes.ts'
import type { Hash } from '../../base/types.ts'
import type { Transaction } from '../../ethereum/transaction.ts'

const REMEMBERED = 10_000

/** How many dropped transactions are kept themselves: they may have 128 kB. */
const KEPT = 256

/** A transaction that left the mempool without being included. */
export interface Dropped {
  readonly transaction: Transaction
  readonly reason: DropReason
  /** The message of the error that it was refused with, if any. */
  readonly message?: string
}

/** What is known of dropped transactions. */
export interface DropRecords {
  /** Why the transaction with this hash was dropped, if it is among the last 10,000. */
  reasonOf(hash: Hash): DropReason | undefined
  /** The dropped transaction with this hash, if it is among the last 256. */
  transaction(hash: Hash): Transaction | undefined
  /** Why this transaction object was last dropped, regardless of a later one with its hash. */
  fateOf(transaction: Transaction): DropReason | undefined
}

/** The hashes of dropped transactions with their reasons; the oldest record is deleted first. */
export class DropMemory implements DropRecords {
  #reasons = new Map<Hash, DropReason>()
  /** The last dropped transactions by hash, which can be simulated. */
  readonly #transactions = new Map<Hash, Transaction>()
  /** By transaction, for as long as it is referenced: a transaction that is sent later may have the same hash. */
  readonly #fates = new WeakMap<Transaction, DropReason>()
  /** Whether a capture shares the map, which then must be copied before it changes. */
  #isShared = false

  /** Records a drop as the newest. */
  add(transaction: Transaction, reason: DropReason): void {
    const { hash } = transaction
    this.#fates.set(transaction, reason)
    this.#transactions.delete(hash)
    this.#transactions.set(hash, transaction)
    if (this.#transactions.size > KEPT) deleteOldest(this.#transactions)
    this.#copyIfShared()
    this.#reasons.delete(hash)
    this.#reasons.set(hash, reason)
    if (this.#reasons.size > REMEMBERED) deleteOldest(this.#reasons)
  }

  /** Deletes the record of a hash. */
  delete(hash: Hash): void {
    if (!this.#reasons.has(hash)) return
    this.#copyIfShared()
    this.#reasons.delete(hash)
  }

  /** Captures the records; the returned function restores them. Copies nothing until something changes. */
  capture(): () => void {
    const reasons = this.#reasons
    this.#isShared = true
    return () => {
      this.#reasons = reasons
      this.#isShared = true
    }
  }

  reasonOf(hash: Hash): DropReason | undefined {
    return this.#reasons.get(hash)
  }

  transaction(hash: Hash): Transaction | undefined {
    // A capture that was restored has no record of what was dropped since.
    return this.#reasons.has(hash) ? this.#transactions.get(hash) : undefined
  }

  fateOf(transaction: Transaction): DropReason | undefined {
    return this.#fates.get(transaction)
  }

  #copyIfShared(): void {
    if (this.#isShared) this.#reasons = new Map(this.#reasons)
    this.#isShared = false
  }
}

function deleteOldest(map: Map<Hash, unknown>): void {
  for (const oldest of map.keys()) {
    map.delete(oldest)
    return
  }
}
