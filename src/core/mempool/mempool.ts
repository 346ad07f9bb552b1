/**
 * Owns the transactions that wait, per sender by nonce, gaps allowed: which replaces which, which is evicted if the
 * mempool is full, and in which order they are offered. A bundle waits as a whole or not at all. Also owns the hashes
 * of pre-confirmed transactions and the records of dropped ones.
 *
 * Does not own account state, fees or rules (read through `MempoolSource` at the moment of use, from the preconf
 * tip), nor the pre-confirmed transactions themselves, which belong to the payload. Decodes, signs and emits nothing.
 *
 *   add ─► queued ─► pending ─ best() ─► the payload ─ preconfirmed() ─► known by hash ─ sealed() ─► forgotten
 *             └─────────┴──► dropped: replaced, evicted, stale, or by drop()
 */

import type { DropReason } from '../../base/eventTypes.ts'
import type { Address, Hash } from '../../base/types.ts'
import { NonceTooLowError } from '../../ethereum/errors.ts'
import { type Transaction, unitOf } from '../../ethereum/transaction.ts'
import {
  AccountLimitError,
  AlreadyKnownError,
  ReplacementUnderpricedError,
  UnderpricedError,
} from './errors.ts'
import { BestTransactions, EvictionOrder } from './ordering.ts'
import { createEntry, type Entry, type Executable, outbids, SenderQueue } from './senderQueue.ts'
import { type MempoolOptions, type MempoolSource, validateTransaction } from './validate.ts'

const NONE: readonly Dropped[] = []

/** Waiting transactions per sender, nonces rising. */
export interface MempoolContent {
  /** By sender, transactions that can execute in the next block, in the order of their nonces. */
  readonly pending: Map<Address, Transaction[]>
  /** By sender, transactions that wait for a missing nonce, or for a lower base fee or blob base fee. */
  readonly queued: Map<Address, Transaction[]>
}

/** The number of waiting transactions by stage. */
export interface MempoolStatus {
  readonly pending: number
  readonly queued: number
}

/** The transactions that wait to be included. */
export class Mempool {
  readonly #source: MempoolSource
  readonly #options: MempoolOptions
  readonly #entries: Map<Hash, Entry>
  readonly #queues = new Map<Address, SenderQueue>()
  readonly #preconfirmed = new Set<Hash>()
  /** Those that a tick is executing. */
  readonly #held = new Set<Hash>()
  readonly #drops = new DropMemory()
  /** Those that were dropped. */
  readonly drops: DropRecords = this.#drops
  readonly #evictions: EvictionOrder
  #arrivals = 0
  /** The lowest reserved place in the order of arrival, at most 0; transactions not included before start at 0. */
  #front = 0

  /** @param entries - an empty map. */
  constructor(source: MempoolSource, options: MempoolOptions, entries = new Map<Hash, Entry>()) {
    this.#source = source
    this.#options = options
    this.#entries = entries
    this.#evictions = new EvictionOrder(this.#queues, (address) => source.nonceOf(address))
  }

  /** How many wait. */
  get size(): number {
    return this.#entries.size
  }

  /** Reserves the next place in the order of arrival. */
  readonly reserve = (): number => this.#arrivals++

  /** Reserves places before all others in the order of arrival. @returns the first of them. */
  reserveFront(count: number): number {
    this.#front -= count
    return this.#front
  }

  /**
   * Validates a transaction against the preconf tip and adds it; on a throw nothing has changed.
   *
   * @param arrival - its place in the order of arrival: from {@link reserve}, or from {@link reserveFront} if it was
   *   included before.
   * @param waitsAgain - whether it was in the mempool before, or included. The limits of the mempool, the minimum fee and
   *   the refusal of blobs do not apply then, and the funds need to cover only it and its bundle. Call {@link trim} once
   *   all such transactions wait.
   * @returns the transactions that it replaced or evicted.
   * @throws AlreadyKnownError it waits or is pre-confirmed already
   * @throws TransactionRejectedError a subclass, see `validateTransaction`; the funds must cover all waiting
   *   transactions of the sender
   * @throws AccountLimitError the sender has `maxPerSender` transactions waiting
   * @throws ReplacementUnderpricedError another one waits with its nonce, and a fee field is not `priceBump` percent
   *   higher
   * @throws UnderpricedError the mempool is full, and no waiting transaction ranks below this one
   */
  add(transaction: Transaction, arrival = this.reserve(), waitsAgain = arrival < 0): Dropped[] {
    const { hash, from, nonce } = transaction
    if (this.#entries.has(hash) || this.#preconfirmed.has(hash)) throw new AlreadyKnownError(hash)
    const queue = this.#queues.get(from) ?? new SenderQueue(from)
    const replaced = queue.at(nonce)
    this.#validate(transaction, queue, replaced, waitsAgain)
    const entry = createEntry(transaction, arrival)
    let victim: Entry | undefined
    if (replaced !== undefined) {
      // A tick is executing the replaced transaction, so the nonce is about to be used.
      if (this.#held.has(replaced.transaction.hash)) throw new NonceTooLowError()
      if (!outbids(entry, replaced, this.#options.priceBump)) throw new ReplacementUnderpricedError()
      this.#entries.delete(replaced.transaction.hash)
      this.#drops.add(replaced.transaction, 'replaced')
    } else if (!waitsAgain) {
      victim = this.#victimOf(entry, queue)
      if (victim) this.#drop(victim, 'evicted')
    }
    this.#put(entry)
    this.#drops.delete(hash)
    const gone = victim ?? replaced
    if (gone === undefined) return []
    const first: Dropped = { transaction: gone.transaction, reason: victim ? 'evicted' : 'replaced' }
    return [first, ...this.#dropRest(gone.transaction, 'evicted')]
  }

  #validate(
    transaction: Transaction,
    queue: SenderQueue,
    replaced: Entry | undefined,
    waitsAgain: boolean,
  ): void {
    const { from } = transaction
    const source = this.#source
    // A transaction that waits again could be paid for, so only its own bundle counts, not all that waits.
    const all = waitsAgain ? queue.costOf(unitOf(transaction)) : queue.cost
    const sender = {
      nonce: source.nonceOf(from),
      balance: source.balanceOf(from),
      isContract: !transaction.unsigned && source.isContract(from),
      committed: all - (replaced?.cost ?? 0n),
    }
    const now = source.rules()
    const rules = waitsAgain ? { ...now, blobs: true, baseFee: 0n, minFeeCap: 0n } : now
    validateTransaction(transaction, rules, sender)
  }

  /** The entry that leaves a full mempool for a new one. @throws AccountLimitError, UnderpricedError */
  #victimOf(entry: Entry, queue: SenderQueue): Entry | undefined {
    const { maxPerSender, maxTransactions } = this.#options
    if (queue.entries.length >= maxPerSender) throw new AccountLimitError()
    if (this.size < maxTransactions) return undefined
    const victim = this.#evictions.firstBelow(entry, queue, this.#source.nextBaseFee())
    // A transaction that a tick is executing can no longer be evicted.
    if (victim === undefined || this.#held.has(victim.transaction.hash)) throw new UnderpricedError()
    return victim
  }

  /** Evicts what exceeds the limits, except what was included before; see {@link EvictionOrder.excess}. */
  trim(): Dropped[] {
    const dropped: Dropped[] = []
    for (const entry of this.#evictions.excess(this, this.#options, this.#source.nextBaseFee())) {
      const { transaction } = entry
      dropped.push({ transaction, reason: 'evicted' })
      this.#drop(entry, 'evicted')
      dropped.push(...this.#dropRest(transaction, 'evicted'))
    }
    return dropped
  }

  /**
   * The transactions that can execute now, best first, as of this call. Leaves out those with a nonce gap before them,
   * and those that cannot pay the base fees, with their later nonces.
   *
   * @param baseFee - wei per gas; by default the next block's.
   * @param blobBaseFee - wei per blob gas; by default the next block's.
   * @param before - leaves out those from this place on, and later nonces.
   */
  best(
    baseFee: bigint = this.#source.nextBaseFee(),
    blobBaseFee: bigint = this.#source.nextBlobBaseFee(),
    before?: number,
  ): BestTransactions {
    const runs: (readonly Entry[])[] = []
    for (const queue of this.#queues.values()) {
      const nonce = this.#source.nonceOf(queue.sender)
      const { start, end } = queue.executable(nonce, baseFee, blobBaseFee, before)
      if (end > start) runs.push(queue.entries.slice(start, end))
    }
    return new BestTransactions(runs, baseFee, this.#options.ordering)
  }

  /** Whether {@link best} offers a transaction. */
  hasExecutable(before?: number): boolean {
    for (const queue of this.#queues.values()) {
      const { start, end } = this.#executable(queue, before)
      if (end > start) return true
    }
    return false
  }

  /** Keeps a transaction that is being executed from being replaced or evicted, until {@link releaseHeld}. */
  hold(hash: Hash): void {
    this.#held.add(hash)
  }

  /** Ends all holds. */
  releaseHeld(): void {
    this.#held.clear()
  }

  /** Drops one transaction; its bundle and later nonces stay. Returns undefined if it does not wait. */
  drop(hash: Hash, reason: DropReason): Transaction | undefined {
    const entry = this.#entries.get(hash)
    if (entry) this.#drop(entry, reason)
    return entry?.transaction
  }

  /**
   * Marks the transactions of a published snapshot: they no longer wait, but stay known until `sealed`.
   * Call this after the tip was swapped.
   *
   * @returns the dropped transactions, whose nonces the included ones have used.
   */
  preconfirmed(transactions: Iterable<Transaction>): Dropped[] {
    const senders = new Set<SenderQueue>()
    const included: Hash[] = []
    for (const { hash, from } of transactions) {
      this.#preconfirmed.add(hash)
      included.push(hash)
      const queue = this.#queues.get(from)
      if (queue) senders.add(queue)
    }
    const dropped = this.#removeIncluded(included)
    for (const queue of senders) this.#dropStale(queue, dropped)
    this.#evictions.reset()
    return dropped
  }

  /** Removes the hashes of pre-confirmed transactions, after they were sealed or retracted. */
  sealed(transactions: Iterable<Pick<Transaction, 'hash'>>): void {
    for (const { hash } of transactions) this.#preconfirmed.delete(hash)
  }

  /** Records that a retracted transaction cannot wait again. */
  lost(transaction: Transaction, reason: DropReason): void {
    this.#drops.add(transaction, reason)
  }

  /**
   * Removes stale transactions: those with nonces below their accounts'. Call this after any change of the
   * tip that is not passed to `preconfirmed`.
   *
   * @param included - what the new tip includes; these leave without being dropped.
   * @returns the dropped transactions.
   */
  prune(included: ReadonlySet<Hash> = new Set()): Dropped[] {
    const dropped = this.#removeIncluded(included)
    for (const queue of this.#queues.values()) this.#dropStale(queue, dropped)
    this.#evictions.reset()
    return dropped
  }

  /** The waiting transactions in the order of arrival. */
  transactions(): Transaction[] {
    const entries = [...this.#entries.values()].sort((a, b) => a.arrival - b.arrival)
    return entries.map(({ transaction }) => transaction)
  }

  /** Captures the waiting transactions, pre-confirmed hashes and drop records; the returned function restores them. */
  capture(): () => void {
    const entries = [...this.#entries.values()]
    const preconfirmed = [...this.#preconfirmed]
    const restoreDrops = this.#drops.capture()
    return () => {
      this.#entries.clear()
      this.#queues.clear()
      for (const entry of entries) this.#put(entry)
      this.#preconfirmed.clear()
      for (const hash of preconfirmed) this.#preconfirmed.add(hash)
      restoreDrops()
      this.#evictions.reset()
    }
  }

  /** Puts entries of an earlier run into an empty pool. */
  restore(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#put(entry)
      this.#arrivals = Math.max(this.#arrivals, entry.arrival + 1)
      this.#front = Math.min(this.#front, entry.arrival)
    }
  }

  /** The waiting transaction with this hash. */
  get(hash: Hash): Transaction | undefined {
    return this.#entries.get(hash)?.transaction
  }

  /** The transaction of a sender that waits with this nonce. */
  at(sender: Address, nonce: bigint): Transaction | undefined {
    return this.#queues.get(sender)?.at(nonce)?.transaction
  }

  /** The first nonce from `from` on that no waiting one of this sender has. */
  contiguousNonce(address: Address, from: bigint): bigint {
    return this.#queues.get(address)?.gapFrom(from) ?? from
  }

  /** The stage of a transaction; `pending` is exactly what `best` offers. Undefined if its hash is unknown. */
  stageOf(hash: Hash): 'queued' | 'pending' | 'preconfirmed' | undefined {
    if (this.#preconfirmed.has(hash)) return 'preconfirmed'
    const entry = this.#entries.get(hash)
    const queue = entry && this.#queues.get(entry.transaction.from)
    if (!queue) return undefined
    const { start, end } = this.#executable(queue)
    const distance = entry.transaction.nonce - this.#source.nonceOf(queue.sender)
    return distance >= 0n && distance < BigInt(end - start) ? 'pending' : 'queued'
  }

  /** All that wait, in new maps and arrays. */
  content(): MempoolContent {
    const pending = new Map<Address, Transaction[]>()
    const queued = new Map<Address, Transaction[]>()
    for (const queue of this.#queues.values()) {
      const { start, end } = this.#executable(queue)
      const all = queue.entries.map((entry) => entry.transaction)
      const ready = all.splice(start, end - start)
      if (ready.length > 0) pending.set(queue.sender, ready)
      if (all.length > 0) queued.set(queue.sender, all)
    }
    return { pending, queued }
  }

  /** Counts the waiting transactions by stage. */
  status(): MempoolStatus {
    let pending = 0
    for (const queue of this.#queues.values()) {
      const { start, end } = this.#executable(queue)
      pending += end - start
    }
    return { pending, queued: this.size - pending }
  }

  #executable(queue: SenderQueue, before?: number): Executable {
    const source = this.#source
    const nonce = source.nonceOf(queue.sender)
    return queue.executable(nonce, source.nextBaseFee(), source.nextBlobBaseFee(), before)
  }

  #dropStale(queue: SenderQueue, dropped: Dropped[]): void {
    const stale = queue.removeBelow(this.#source.nonceOf(queue.sender))
    for (const { transaction } of stale) {
      this.#entries.delete(transaction.hash)
      this.#drops.add(transaction, 'nonce')
      dropped.push({ transaction, reason: 'nonce' })
    }
    for (const { transaction } of stale) dropped.push(...this.#dropRest(transaction, 'nonce'))
    if (queue.entries.length === 0) this.#queues.delete(queue.sender)
  }

  /** @returns the dropped transactions: the others of each bundle that has an included transaction. */
  #removeIncluded(included: Iterable<Hash>): Dropped[] {
    const left: Entry[] = []
    for (const hash of included) {
      // It may have been dropped before it was included.
      this.#drops.delete(hash)
      const entry = this.#entries.get(hash)
      if (entry) left.push(entry)
    }
    for (const entry of left) this.#remove(entry)
    const dropped: Dropped[] = []
    for (const { transaction } of left) dropped.push(...this.#dropRest(transaction, 'nonce'))
    return dropped
  }

  /** Drops the rest of a bundle after one of its transactions has left. */
  #dropRest({ bundle }: Transaction, reason: DropReason): readonly Dropped[] {
    if (bundle === undefined) return NONE
    const rest = bundle.flatMap(({ hash }) => this.#entries.get(hash) ?? [])
    for (const entry of rest) this.#drop(entry, reason)
    return rest.map(({ transaction }) => ({ transaction, reason }))
  }

  #put(entry: Entry): void {
    const { hash, from } = entry.transaction
    const queue = this.#queues.get(from) ?? new SenderQueue(from)
    this.#queues.set(from, queue)
    queue.put(entry)
    this.#entries.set(hash, entry)
    this.#evictions.touch(queue)
  }

  #drop(entry: Entry, reason: DropReason): void {
    this.#remove(entry)
    this.#drops.add(entry.transaction, reason)
  }

  #remove(entry: Entry): void {
    const { hash, from, nonce } = entry.transaction
    this.#entries.delete(hash)
    const queue = this.#queues.get(from)
    if (!queue) return
    queue.remove(nonce)
    if (queue.entries.length === 0) this.#queues.delete(from)
    else this.#evictions.touch(queue)
  }
}

// Why transactions left the mempool without being included: records of the last 10,000.

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
