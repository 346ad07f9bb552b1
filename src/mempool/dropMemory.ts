/** Why transactions left the mempool without being included: records of the last 10,000. */

import type { DropReason } from '../primitives/eventTypes.ts'
import type { Hash } from '../primitives/types.ts'
import type { Transaction } from '../protocol/transaction.ts'

const REMEMBERED = 10_000

/** A transaction that left the mempool without being included. */
export interface Dropped {
  readonly transaction: Transaction
  readonly reason: DropReason
  /** The message of the error that it was refused with, if any. */
  readonly message?: string
}

/** The hashes of dropped transactions with their reasons; the oldest record is deleted first. */
export class DropMemory {
  #reasons = new Map<Hash, DropReason>()
  /** By transaction, for as long as it is referenced: a transaction that is sent later may have the same hash. */
  readonly #fates = new WeakMap<Transaction, DropReason>()
  /** Whether a capture shares the map, which then must be copied before it changes. */
  #isShared = false

  /** Records a drop as the newest. */
  add(transaction: Transaction, reason: DropReason): void {
    const { hash } = transaction
    this.#fates.set(transaction, reason)
    this.#copyIfShared()
    this.#reasons.delete(hash)
    this.#reasons.set(hash, reason)
    if (this.#reasons.size <= REMEMBERED) return
    for (const oldest of this.#reasons.keys()) {
      this.#reasons.delete(oldest)
      break
    }
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

  /** Why the transaction with this hash left; undefined if there is no record of it. */
  get(hash: Hash): DropReason | undefined {
    return this.#reasons.get(hash)
  }

  /** Why this transaction object last left; undefined if it never did. */
  fateOf(transaction: Transaction): DropReason | undefined {
    return this.#fates.get(transaction)
  }

  #copyIfShared(): void {
    if (this.#isShared) this.#reasons = new Map(this.#reasons)
    this.#isShared = false
  }
}
