/**
 * What a chain with a database keeps beside its blocks: the transactions that are not sealed, the order of the
 * pre-confirmed ones, and values such as the settings of the blocks to come.
 *
 * Owns: the order of all writes to the database, and what it holds of these. Sends of a burst are one batch, and a write that
 * waits for its turn takes all sends of that time with it. Does not own the mempool, whose entries it watches.
 *
 *   send        admitted() ─► batch ─► announced, answered          refused: undone
 *   tick, seal  write()    ─► batch ─► the tip is swapped ─► settle() ─► a batch, if the mempool has lost something else
 */
import type { Dropped } from '../mempool/dropMemory.ts'
import type { Mempool } from '../mempool/mempool.ts'
import { toDropReason } from '../mempool/requeue.ts'
import type { Entry as WaitingEntry } from '../mempool/senderQueue.ts'
import { toError } from '../primitives/emitter.ts'
import { TransactionRejectedError } from '../primitives/errors.ts'
import type { Hash } from '../primitives/types.ts'
import type { Transaction } from '../protocol/transaction.ts'
import type { Entry } from './bytesDatabase.ts'
import type { BlockStore } from './ethereumjs/blockStore.ts'
import { checked, verified } from './format/entries.ts'
import { decodeHashes, encodeHashes, type PoolEntry, toPoolEntry } from './format/poolEntry.ts'
import type { Journal, JournalTip, Recorder } from './journal.ts'
import { PoolEntries } from './poolEntries.ts'
import type { StoredChange } from './storedChange.ts'

/** The key of the pre-confirmed transactions, in order. */
export const PRECONFIRMED_KEY = 'preseal:preconfirmed'
/** Key prefix, before its name, of a value. */
export const VALUE_KEY = 'preseal:value:'

/** Transactions that were added to the mempool together. */
export interface Admission {
  readonly transactions: readonly Transaction[]
  /** What they replaced or evicted. */
  readonly displaced: readonly Dropped[]
  /** Called once they are stored. */
  announce(): void
  /** Called if they cannot be stored, with what could not wait again then. */
  onLost(dropped: readonly Dropped[]): void
}

interface WaitingAdmission extends Admission {
  resolve(): void
  reject(error: unknown): void
}

/** A value that is written whenever it is another one than before. */
export interface StoredValue {
  /** Undefined if there is none. */
  read(): unknown
  encode(value: never): Uint8Array
}

/** The entries of a mempool, which remember what was set and deleted. */
class WatchedEntries extends Map<Hash, WaitingEntry> {
  readonly changed: Set<Hash> = new Set()

  override set(hash: Hash, entry: WaitingEntry): this {
    this.changed.add(hash)
    return super.set(hash, entry)
  }

  override delete(hash: Hash): boolean {
    this.changed.add(hash)
    return super.delete(hash)
  }

  override clear(): void {
    for (const hash of this.keys()) this.changed.add(hash)
    super.clear()
  }
}

/** See the file's header. */
export class PoolStore implements Journal {
  readonly #store: BlockStore
  readonly #onError: (error: Error) => void
  readonly #entries = new WatchedEntries()
  #mempool: Mempool | undefined
  readonly #stored = new PoolEntries()
  readonly #values = new Map<string, StoredValue>()
  /** The values as they are stored. */
  readonly #written = new Map<string, unknown>()
  #order: readonly Transaction[] = []
  /** What is no longer pre-confirmed by a change whose swap may not have happened yet. */
  readonly #leaving = new Set<Hash>()
  #admissions: WaitingAdmission[] = []
  /** In order. */
  readonly #unannounced = new Set<Admission>()
  readonly #answers = new WeakMap<Transaction, Promise<void>>()
  readonly #refused = new WeakMap<Transaction, unknown>()
  /** Whether a flush begins once the sends of a burst are in the mempool. */
  #isGathering = false
  #queue: Promise<unknown> = Promise.resolve()
  /** The flush that has not begun. */
  #waiting: Promise<void> | undefined

  /** @param onError - receives the failures of {@link settle}. */
  constructor(store: BlockStore, onError: (error: Error) => void) {
    this.#store = store
    this.#onError = onError
  }

  /** Connects the mempool that was created with {@link entries}. */
  attach(mempool: Mempool): void {
    this.#mempool = mempool
  }

  /** The entries of the chain's mempool. */
  get entries(): Map<Hash, WaitingEntry> {
    return this.#entries
  }

  /** The stored transactions, in the order of arrival. @throws DatabaseCorruptError */
  async transactions(): Promise<PoolEntry[]> {
    const found = await this.#stored.read(this.#store)
    // Also those that can no longer be read as transactions: the next flush removes what is not in use.
    for (const { hash } of found) this.#entries.changed.add(hash)
    return found
  }

  /** The hashes of the pre-confirmed transactions, in order. @throws DatabaseCorruptError */
  async preconfirmed(): Promise<Hash[]> {
    const stored = await this.#store.entry(PRECONFIRMED_KEY)
    return stored === undefined
      ? []
      : decodeHashes(verified(PRECONFIRMED_KEY, stored, 'what was pre-confirmed'))
  }

  /** States which transactions are pre-confirmed in the database. */
  resume(preconfirmed: readonly Transaction[]): void {
    this.#order = preconfirmed
  }

  /** The stored value; undefined if there is none. @throws DatabaseCorruptError */
  async value(name: string): Promise<Uint8Array | undefined> {
    const key = VALUE_KEY + name
    const stored = await this.#store.entry(key)
    return stored === undefined ? undefined : verified(key, stored, `the value ${name}`)
  }

  /** Writes a value from now on whenever it has changed. It is stored as it is now. */
  keep(name: string, value: StoredValue, stored: unknown = value.read()): void {
    this.#values.set(name, value)
    this.#written.set(name, stored)
  }

  /** Writes a value, then sets it with `apply`. */
  put<Value>(name: string, next: () => Value, apply: (value: Value) => void): Promise<void> {
    return this.#inTurn(async () => {
      const value = next()
      await this.#store.writePart({ entries: [this.#valueEntry(name, value)], removed: [] })
      this.#written.set(name, value)
      apply(value)
    })
  }

  /** {@link put} for one value. */
  recorder<Value>(name: string): Recorder<Value> {
    return (next, apply) => this.put(name, next, apply)
  }

  /**
   * Stores transactions that were added to the mempool just now.
   *
   * @param afterArrivals - resolves after a promise, once what was sent before now is in the mempool too.
   */
  admitted(admission: Admission, afterArrivals: (earlier: Promise<unknown>) => Promise<unknown>): void {
    const answer = new Promise<void>((resolve, reject) => {
      const waiting = { ...admission, resolve, reject }
      this.#admissions.push(waiting)
      this.#unannounced.add(waiting)
    })
    // Each failure is the answer to a send, which may not be read yet.
    answer.catch(() => {})
    for (const tx of admission.transactions) this.#answers.set(tx, answer)
    if (this.#isGathering) return
    this.#isGathering = true
    const flush = () => {
      this.#isGathering = false
      return this.#flush()
    }
    afterArrivals(Promise.resolve())
      .then(flush)
      .catch(() => {})
  }

  /** Resolves once the transaction is stored. @throws DatabaseWriteError if it cannot be; it is undone then. */
  async answer(transaction: Transaction): Promise<void> {
    await this.#answers.get(transaction)
  }

  write(change: StoredChange | undefined, tip: JournalTip): Promise<void> {
    const { preconfirmed, settings, dropped = [] } = tip
    return this.#inTurn(async () => {
      // A send that was refused meanwhile is no longer in the mempool.
      for (const tx of preconfirmed) if (this.#refused.has(tx)) throw this.#refused.get(tx)
      const gone = new Set(dropped)
      for (const { hash } of change?.added?.transactions ?? []) gone.add(hash)
      const unknown = preconfirmed.filter(({ hash }) => !this.#stored.has(hash))
      const pool = this.#stored.change(
        unknown.map((tx) => toPoolEntry(tx, 0)),
        gone,
      )
      const entries: Entry[] = [...pool.entries]
      const isReordered = !isSame(preconfirmed, this.#order)
      if (isReordered) entries.push(checked(PRECONFIRMED_KEY, encodeHashes(hashesOf(preconfirmed))))
      if (settings !== this.#written.get('settings')) entries.push(this.#valueEntry('settings', settings))
      const part = { entries, removed: pool.removed }
      if (change !== undefined) await this.#store.write({ ...change, part })
      else if (entries.length > 0 || part.removed.length > 0) await this.#store.writePart(part)

      this.#written.set('settings', settings)
      pool.applied()
      for (const { hash } of this.#order) if (this.#stored.has(hash)) this.#leaving.add(hash)
      for (const { hash } of preconfirmed) this.#leaving.delete(hash)
      this.#order = preconfirmed
    })
  }

  settle(): Promise<void> | undefined {
    for (const hash of this.#leaving) this.#entries.changed.add(hash)
    this.#leaving.clear()
    if (this.#entries.changed.size === 0 && this.#changedValues().length === 0) return undefined
    return this.#flush().catch((error) => this.#onError(toError(error)))
  }

  announceGone(): void {
    for (const admission of this.#unannounced) {
      const isGone = admission.transactions.some(({ hash }) => !this.#entries.has(hash))
      if (isGone) this.#announce(admission)
    }
  }

  /** Resolves once everything is written. */
  async close(): Promise<void> {
    await this.settle()
    await this.#queue
  }

  /** Writes what has changed in the mempool and in the values, with all that changes until its turn comes. */
  #flush(): Promise<void> {
    this.#waiting ??= this.#inTurn(async () => {
      this.#waiting = undefined
      const admissions = this.#admissions
      this.#admissions = []
      try {
        await this.#writeChanged()
      } catch (error) {
        // The last ones first, since they may have replaced those before them.
        for (const admission of admissions.reverse()) {
          this.#undo(admission, error)
          admission.reject(error)
        }
        throw error
      }
      for (const admission of admissions) {
        this.#announce(admission)
        admission.resolve()
      }
    })
    return this.#waiting
  }

  #announce(admission: Admission): void {
    if (this.#unannounced.delete(admission)) admission.announce()
  }

  /** Takes transactions out of the mempool again; what they displaced waits again if it is stored. */
  #undo(admission: Admission, error: unknown): void {
    const { transactions, displaced, onLost } = admission
    this.#unannounced.delete(admission)
    for (const tx of transactions) this.#refused.set(tx, error)
    const lost = this.#mempool!.prune(new Set(transactions.map(({ hash }) => hash)))
    for (const { transaction } of displaced) {
      const arrival = this.#stored.arrival(transaction.hash)
      if (arrival === undefined) continue
      try {
        this.#mempool!.add(transaction, arrival)
      } catch (reason) {
        if (!(reason instanceof TransactionRejectedError)) throw reason
        this.#mempool!.lost(transaction, toDropReason(reason))
        lost.push({ transaction, reason: toDropReason(reason) })
      }
    }
    onLost(lost)
  }

  async #writeChanged(): Promise<void> {
    const changed = [...this.#entries.changed]
    this.#entries.changed.clear()
    const preconfirmed = new Set(hashesOf(this.#order))
    const added: PoolEntry[] = []
    const removed: Hash[] = []
    for (const hash of changed) {
      const entry = this.#entries.get(hash)
      const isKept = preconfirmed.has(hash) || this.#leaving.has(hash)
      if (entry === undefined) {
        if (!isKept) removed.push(hash)
      } else if (entry.arrival !== this.#stored.arrival(hash)) {
        added.push(toPoolEntry(entry.transaction, entry.arrival))
      }
    }
    const pool = this.#stored.change(added, removed)
    const values = this.#changedValues()
    const entries = [...pool.entries, ...values.map(([name, value]) => this.#valueEntry(name, value))]
    try {
      if (entries.length > 0 || pool.removed.length > 0)
        await this.#store.writePart({ entries, removed: pool.removed })
    } catch (error) {
      for (const hash of changed) this.#entries.changed.add(hash)
      throw error
    }
    for (const [name, value] of values) this.#written.set(name, value)
    pool.applied()
  }

  #changedValues(): (readonly [name: string, value: unknown])[] {
    const now = [...this.#values].map(([name, value]) => [name, value.read()] as const)
    return now.filter(([name, value]) => value !== undefined && value !== this.#written.get(name))
  }

  #valueEntry(name: string, value: unknown): Entry {
    return checked(VALUE_KEY + name, this.#values.get(name)!.encode(value as never))
  }

  #inTurn<Value>(run: () => Promise<Value>): Promise<Value> {
    const turn = this.#queue.then(run)
    this.#queue = turn.catch(() => {})
    return turn
  }
}

function hashesOf(transactions: readonly Transaction[]): Hash[] {
  return transactions.map(({ hash }) => hash)
}

function isSame(a: readonly Transaction[], b: readonly Transaction[]): boolean {
  return a === b || (a.length === b.length && a.every(({ hash }, i) => hash === b[i]!.hash))
}
