/**
 * Waiting transactions, per sender by nonce, gaps allowed. A bundle waits as a whole or not at all.
 *
 * Owns: replacement, eviction and order of the waiting transactions, the hashes of pre-confirmed transactions, and the
 * records of dropped ones. Does not own account state, fees and rules (`MempoolSource` reads them from the preconf
 * tip), nor the pre-confirmed transactions themselves (the payload does). Decodes, signs and emits nothing.
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
import { BestTransactions, EvictionOrder, type MempoolOptions } from './ordering.ts'
import { createEntry, type Entry, type Executable, outbids, SenderQueue } from './senderQueue.ts'
import { type MempoolSource, validateTransaction } from './validate.ts'

const NONE: readonly Dropped[] = []

/** Waiting transactions by sender, in nonce order. */
export interface MempoolContent {
  /** Transactions that the next block can execute. */
  readonly pending: Map<Address, Transaction[]>
  /** Transactions that wait for a missing nonce, or for a lower base fee or blob base fee. */
  readonly queued: Map<Address, Transaction[]>
}

/** See the file's header. */
export class Mempool {
  readonly #source: MempoolSource
  readonly #options: MempoolOptions
  readonly #entries: Map<Hash, Entry>
  readonly #queues = new Map<Address, SenderQueue>()
  readonly #preconfirmed = new Set<Hash>()
  /** Transactions that a tick is executing. */
  readonly #held = new Set<Hash>()
  readonly #drops = new DropMemory()
  readonly drops: Pick<DropMemory, 'reasonOf' | 'transaction' | 'fateOf'> = this.#drops
  readonly #evictions: EvictionOrder
  #arrivals = 0
  /** The lowest reserved position in the order of arrival. Positions of newly sent transactions start at 0. */
  #front = 0

  /** @param entries - an empty map, which a caller may watch. */
  constructor(source: MempoolSource, options: MempoolOptions, entries = new Map<Hash, Entry>()) {
    this.#source = source
    this.#options = options
    this.#entries = entries
    this.#evictions = new EvictionOrder(this.#queues, (address) => source.nonceOf(address))
  }

  /** The number of waiting transactions. */
  get size(): number {
    return this.#entries.size
  }

  /** Reserves the next position in the order of arrival. */
  readonly reserve = (): number => this.#arrivals++

  /** Reserves `count` positions ahead of all reserved ones in the order of arrival, and returns the first. */
  reserveFront(count: number): number {
    this.#front -= count
    return this.#front
  }

  /**
   * Validates a transaction against the preconf tip, and adds it. Changes nothing if it throws.
   *
   * @param arrival - the position in the order of arrival, from {@link reserve}, or from {@link reserveFront} if the
   * transaction was included before.
   * @param waitsAgain - whether the transaction was waiting or included before. If so, the mempool's limits, the
   * minimum fee and the refusal of blobs do not apply, and the funds must only cover the transaction and its bundle.
   * Call {@link trim} after adding all such transactions.
   * @returns the replaced or evicted transactions.
   * @throws AlreadyKnownError if it waits or is pre-confirmed
   * @throws TransactionRejectedError a subclass; see `validateTransaction`
   * @throws AccountLimitError if `maxPerSender` transactions of the sender wait
   * @throws ReplacementUnderpricedError if a transaction with its nonce waits, and a fee is not `priceBump` percent
   * higher
   * @throws UnderpricedError if the mempool is full and no waiting transaction ranks below this one
   */
  add(transaction: Transaction, arrival = this.reserve(), waitsAgain = arrival < 0): Dropped[] {
    const { hash, from, nonce } = transaction
    if (this.#entries.has(hash) || this.#preconfirmed.has(hash)) throw new AlreadyKnownError(hash)
    const queue = this.#queues.get(from) ?? new SenderQueue(from)
    const replaced = queue.at(nonce)
    const extraFees = this.#source.extraFeesOf(transaction)
    this.#validate(transaction, queue, replaced, waitsAgain, extraFees)
    const entry = createEntry(transaction, arrival, extraFees)
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
    extraFees: bigint,
  ): void {
    const { from } = transaction
    const source = this.#source
    // A transaction that waits again was affordable before, so only the cost of its bundle is added.
    const all = waitsAgain ? queue.costOf(unitOf(transaction)) : queue.cost
    const sender = {
      nonce: source.nonceOf(from),
      balance: source.balanceOf(from),
      isContract: !transaction.unsigned && source.isContract(from),
      committed: all - (replaced?.cost ?? 0n) + extraFees,
    }
    const now = source.rules()
    const rules = waitsAgain ? { ...now, blobs: true, baseFee: 0n, minFeeCap: 0n } : now
    validateTransaction(transaction, rules, sender)
  }

  /** Selects the entry to evict for a new one, unless there is room. @throws AccountLimitError, UnderpricedError */
  #victimOf(entry: Entry, queue: SenderQueue): Entry | undefined {
    const { maxPerSender, maxTransactions } = this.#options
    if (queue.entries.length >= maxPerSender) throw new AccountLimitError()
    if (this.size < maxTransactions) return undefined
    const victim = this.#evictions.firstBelow(entry, queue, this.#source.nextBaseFee())
    // A tick is executing the transaction, so it can no longer be evicted.
    if (victim === undefined || this.#held.has(victim.transaction.hash)) throw new UnderpricedError()
    return victim
  }

  /** Evicts the entries beyond the limits; see {@link EvictionOrder.excess}. */
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
   * Returns the transactions that are executable at the time of this call, best first. A transaction after a nonce gap,
   * or after one that cannot pay the base fees, is not executable.
   *
   * @param baseFee - in wei per gas; the next block's by default.
   * @param blobBaseFee - in wei per blob gas; the next block's by default.
   * @param before - a position in the order of arrival. Excludes the transactions from this position on, and the later
   * nonces of their senders.
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

  /** Protects a transaction under execution from replacement and eviction, until {@link releaseHeld}. */
  hold(hash: Hash): void {
    this.#held.add(hash)
  }

  releaseHeld(): void {
    this.#held.clear()
  }

  /** Drops one transaction, but not its bundle or later nonces. Returns undefined if it does not wait. */
  drop(hash: Hash, reason: DropReason): Transaction | undefined {
    const entry = this.#entries.get(hash)
    if (entry) this.#drop(entry, reason)
    return entry?.transaction
  }

  /**
   * Removes the waiting transactions that a preconf block has included. Their hashes stay known as pre-confirmed until
   * {@link sealed}. Call this after the tip was swapped, since it reads the nonces of the new tip.
   *
   * @returns the transactions dropped because their nonce is used, and the rest of each bundle that lost a transaction.
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

  /** Forgets the hashes of transactions that were sealed or retracted. */
  sealed(transactions: Iterable<Pick<Transaction, 'hash'>>): void {
    for (const { hash } of transactions) this.#preconfirmed.delete(hash)
  }

  /** Records that a retracted transaction cannot wait again. */
  lost(transaction: Transaction, reason: DropReason): void {
    this.#drops.add(transaction, reason)
  }

  /**
   * Drops transactions with used nonces. Call this after a change of the tip that may have used nonces of senders whose
   * transactions were not passed to {@link preconfirmed}.
   *
   * @param included - the hashes of transactions in the new tip. They leave the mempool without being dropped.
   * @returns the dropped transactions.
   */
  prune(included: ReadonlySet<Hash> = new Set()): Dropped[] {
    const dropped = this.#removeIncluded(included)
    for (const queue of this.#queues.values()) this.#dropStale(queue, dropped)
    this.#evictions.reset()
    return dropped
  }

  /** Returns the waiting transactions in the order of arrival. */
  transactions(): Transaction[] {
    const entries = [...this.#entries.values()].sort((a, b) => a.arrival - b.arrival)
    return entries.map(({ transaction }) => transaction)
  }

  /** Captures the waiting transactions, pre-confirmed hashes and drop records. The returned function restores them. */
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

  /** Fills an empty mempool with the entries of an earlier run. */
  restore(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.#put(entry)
      this.#arrivals = Math.max(this.#arrivals, entry.arrival + 1)
      this.#front = Math.min(this.#front, entry.arrival)
    }
  }

  /** Returns the waiting transaction with this hash, if any. */
  get(hash: Hash): Transaction | undefined {
    return this.#entries.get(hash)?.transaction
  }

  /** Returns the waiting transaction of a sender with this nonce, if any. */
  at(sender: Address, nonce: bigint): Transaction | undefined {
    return this.#queues.get(sender)?.at(nonce)?.transaction
  }

  /** Returns the first nonce from `from` on without a waiting transaction. */
  contiguousNonce(address: Address, from: bigint): bigint {
    return this.#queues.get(address)?.gapFrom(from) ?? from
  }

  /** Returns the stage of a transaction; undefined if unknown. `best` offers exactly the `pending` ones. */
  stageOf(hash: Hash): 'queued' | 'pending' | 'preconfirmed' | undefined {
    if (this.#preconfirmed.has(hash)) return 'preconfirmed'
    const entry = this.#entries.get(hash)
    const queue = entry && this.#queues.get(entry.transaction.from)
    if (!queue) return undefined
    const { start, end } = this.#executable(queue)
    const distance = entry.transaction.nonce - this.#source.nonceOf(queue.sender)
    return distance >= 0n && distance < BigInt(end - start) ? 'pending' : 'queued'
  }

  /** Returns all waiting transactions, in new maps and arrays. */
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

  status(): { readonly pending: number; readonly queued: number } {
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

  /** @returns the dropped transactions: the rest of each bundle with an included transaction. */
  #removeIncluded(included: Iterable<Hash>): Dropped[] {
    const left: Entry[] = []
    for (const hash of included) {
      // Forgets that the transaction was dropped, which may have happened before it was included.
      this.#drops.delete(hash)
      const entry = this.#entries.get(hash)
      if (entry) left.push(entry)
    }
    for (const entry of left) this.#remove(entry)
    const dropped: Dropped[] = []
    for (const { transaction } of left) dropped.push(...this.#dropRest(transaction, 'nonce'))
    return dropped
  }

  /** Drops the rest of a bundle after one of its transactions left. */
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

const REMEMBERED = 10_000

/** How many dropped transactions are kept in memory. Each may have 128 kB. */
const KEPT = 256

/** A transaction that left the mempool without being included. */
export interface Dropped {
  readonly transaction: Transaction
  readonly reason: DropReason
  /** The message of the error that refused it, if any. */
  readonly message?: string
}

/** Reasons of dropped transactions by hash. The oldest record is deleted first. */
class DropMemory {
  #reasons = new Map<Hash, DropReason>()
  /** The last dropped transactions, kept so that they can be simulated. */
  readonly #transactions = new Map<Hash, Transaction>()
  /** By object, since a transaction sent later may have the same hash. */
  readonly #fates = new WeakMap<Transaction, DropReason>()
  /** Whether a capture shares `#reasons`, which must then be copied before a change. */
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

  delete(hash: Hash): void {
    if (!this.#reasons.has(hash)) return
    this.#copyIfShared()
    this.#reasons.delete(hash)
  }

  /** Captures the records, which are copied on the next change. The returned function restores them. */
  capture(): () => void {
    const reasons = this.#reasons
    this.#isShared = true
    return () => {
      this.#reasons = reasons
      this.#isShared = true
    }
  }

  /** Returns the reason of a drop, if it is among the last 10,000. */
  reasonOf(hash: Hash): DropReason | undefined {
    return this.#reasons.get(hash)
  }

  /** Returns a dropped transaction, if it is among the last 256. */
  transaction(hash: Hash): Transaction | undefined {
    // `#transactions` is not restored. After a restore, it may contain later drops, which have no reason any more.
    return this.#reasons.has(hash) ? this.#transactions.get(hash) : undefined
  }

  /** Returns the reason of the last drop of this object, regardless of later transactions with its hash. */
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
