/** Why transactions left the mempool without being included; the last 10,000 of them. */

import type { DropReason } from '../primitives/eventTypes.ts'
import type { Hash } from '../primitives/types.ts'
import type { Transaction } from '../protocol/transaction.ts'

const REMEMBERED = 10_000

/** A transaction that left the mempool without being included. */
export interface Dropped {
  readonly transaction: Transaction
  readonly reason: DropReason
  /** The error it was refused with, if it was executed. */
  readonly message?: string
}

/** The dropped hashes with their reasons, the oldest forgotten first. */
export class DropMemory {
  #reasons = new Map<Hash, DropReason>()
  /** By transaction, for as long as it is referenced: another one, sent later, may have the same hash. */
  readonly #fates = new WeakMap<Transaction, DropReason>()
  /** Whether a capture refers to the map as it is. */
  #isShared = false

  /** Records a transaction as the newest. */
  add(transaction: Transaction, reason: DropReason): void {
    const { hash } = transaction
    this.#fates.set(transaction, reason)
    this.#own()
    this.#reasons.delete(hash)
    this.#reasons.set(hash, reason)
    if (this.#reasons.size <= REMEMBERED) return
    for (const oldest of this.#reasons.keys()) {
      this.#reasons.delete(oldest)
      break
    }
  }

  /** Forgets a hash. */
  delete(hash: Hash): void {
    if (!this.#reasons.has(hash)) return
    this.#own()
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

  /** Why this very transaction left, when it last did. */
  fateOf(transaction: Transaction): DropReason | undefined {
    return this.#fates.get(transaction)
  }

  #own(): void {
    if (this.#isShared) this.#reasons = new Map(this.#reasons)
    this.#isShared = false
  }
}
