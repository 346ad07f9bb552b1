/**
 * What a chain with a database keeps beside its blocks: the transactions that are not sealed, the order of the
 * pre-confirmed ones, its options and its settings.
 *
 * Owns: the order of all writes to the database, and what it holds of these. Sends of a burst are one batch, and a write that
 * waits for its turn takes all sends of that time with it. Does not own the mempool, whose entries it watches.
 *
 *   send        admitted() ─► batch ─► announced, answered          refused: undone
 *   tick, seal  write()    ─► batch ─► the tip is swapped ─► settle() ─► a batch, if the mempool has lost something else
 */

import { splitBySize } from '../../base/collections.ts'
import { toError } from '../../base/emitter.ts'
import { TransactionRejectedError } from '../../base/errors.ts'
import type { Hash } from '../../base/types.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { Dropped, Mempool } from '../mempool/mempool.ts'
import { toDropReason } from '../mempool/requeue.ts'
import type { Entry as WaitingEntry } from '../mempool/senderQueue.ts'
import type { Entry, Key } from './bytesDatabase.ts'
import { DatabaseStoppedError } from './errors.ts'
import type { BlockStore } from './ethereumjs/blockStore.ts'
import {
  checked,
  decodeHashes,
  decodePoolGroup,
  encodeHashes,
  encodePoolGroup,
  type PoolEntry,
  toPoolEntry,
  verified,
} from './format/records.ts'
import { valueToText } from './patchEncoding.ts'
import type { BatchPart, JournalTip, StoredChange } from './storedChange.ts'

/** The key of the pre-confirmed transactions, in order. */
export const PRECONFIRMED_KEY = 'preseal:preconfirmed'

interface WaitingAdmission extends Admission {
  resolve(): void
  reject(error: unknown): void
}

/** See the file's header. */
export class PoolStore {
  readonly #store: BlockStore
  readonly #onError: (error: Error) => void
  readonly #reopens: boolean
  readonly #entries = new WatchedEntries()
  #mempool: Mempool | undefined
  readonly #stored = new PoolEntries()
  #values: Partial<Values> = {}
  /** The values that the database has. */
  readonly #storedValues = new Set<object>()
  #order: readonly Transaction[] = []
  /** What is no longer pre-confirmed by a change whose swap may not have happened yet. */
  readonly #leaving = new Set<Hash>()
  #admissions: WaitingAdmission[] = []
  /** In order. */
  readonly #unannounced = new Set<Admission>()
  readonly #answers = new WeakMap<Transaction, Promise<void>>()
  readonly #refused = new WeakMap<Transaction, unknown>()
  /** Whether a flush begins at the next microtask. */
  #isGathering = false
  #queue: Promise<unknown> = Promise.resolve()
  /** The flush that has not begun. */
  #waiting: Promise<void> | undefined

  /**
   * @param onError - receives the failures of {@link settle}.
   * @param reopens - whether the next write after one that failed opens the database again.
   */
  constructor(store: BlockStore, onError: (error: Error) => void, reopens = false) {
    this.#store = store
    this.#onError = onError
    this.#reopens = reopens
  }

  /** Opens the database again after a write has failed; see `BlockStore.reopen`, whose errors it throws. */
  async reopen(): Promise<void> {
    await this.#inTurn(() => this.#reopen())
    await this.settle()
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

  /** States the values from now on; {@link settle} writes those that the database does not have. @throws DatabaseCorruptError */
  async keep(values: Values): Promise<void> {
    this.#values = values
    await this.#compareValues()
  }

  /** Stores transactions that were added to the mempool just now, with all that are added before the next microtask ends. */
  admitted(admission: Admission): void {
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
    Promise.resolve()
      .then(flush)
      .catch(() => {})
  }

  /** Resolves once the transaction is stored. @throws DatabaseWriteError if it cannot be; it is undone then. */
  async answer(transaction: Transaction): Promise<void> {
    await this.#answers.get(transaction)
  }

  /**
   * Writes a change of the tip before its swap, in one batch.
   *
   * @param change - its blocks, if it has any.
   * @throws DatabaseWriteError; nothing has changed then.
   */
  write(change: StoredChange | undefined, tip: JournalTip): Promise<void> {
    const { preconfirmed, settings, dropped = [] } = tip
    return this.#inTurn(async () => {
      await this.#reopenIfStopped()
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
      const values = { ...this.#values, settings }
      entries.push(...this.#newValues(values))
      const part = { entries, removed: pool.removed }
      if (change !== undefined) await this.#store.write({ ...change, part })
      else if (entries.length > 0 || part.removed.length > 0) await this.#store.writePart(part)

      this.#hasWritten(values)
      pool.applied()
      for (const { hash } of this.#order) if (this.#stored.has(hash)) this.#leaving.add(hash)
      for (const { hash } of preconfirmed) this.#leaving.delete(hash)
      this.#order = preconfirmed
    })
  }

  /**
   * Writes what the swap did to the mempool beyond that; undefined if it did nothing. A failure is reported, and written
   * with the next change.
   */
  settle(): Promise<void> | undefined {
    for (const hash of this.#leaving) this.#entries.changed.add(hash)
    this.#leaving.clear()
    if (this.#entries.changed.size === 0 && this.#newValues(this.#values).length === 0) return undefined
    return this.#flush().catch((error) => this.#onError(toError(error)))
  }

  /** Announces the sends that are not stored yet if the swap took them out of the mempool: before it is announced itself. */
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
        this.#mempool!.add(transaction, arrival, true)
      } catch (reason) {
        if (!(reason instanceof TransactionRejectedError)) throw reason
        this.#mempool!.lost(transaction, toDropReason(reason))
        lost.push({ transaction, reason: toDropReason(reason) })
      }
    }
    onLost(lost)
  }

  async #writeChanged(): Promise<void> {
    await this.#reopenIfStopped()
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
    const values = this.#values
    const entries = [...pool.entries, ...this.#newValues(values)]
    try {
      if (entries.length > 0 || pool.removed.length > 0)
        await this.#store.writePart({ entries, removed: pool.removed })
    } catch (error) {
      for (const hash of changed) this.#entries.changed.add(hash)
      throw error
    }
    this.#hasWritten(values)
    pool.applied()
  }

  /** What the failed write was to change may be stored after all, so all that the chain has beside its blocks is written. */
  async #reopen(): Promise<void> {
    await this.#store.reopen()
    await this.transactions()
    for (const hash of this.#entries.keys()) this.#entries.changed.add(hash)
    const lost = this.#order.filter(({ hash }) => !this.#stored.has(hash))
    const pool = this.#stored.change(
      lost.map((tx) => toPoolEntry(tx, 0)),
      [],
    )
    await this.#compareValues()
    const entries = [...pool.entries, ...this.#newValues(this.#values)]
    const { removed } = pool
    const order = hashesOf(this.#order)
    if (String(await this.preconfirmed()) !== String(order))
      entries.push(checked(PRECONFIRMED_KEY, encodeHashes(order)))
    if (entries.length + removed.length > 0) await this.#store.writePart({ entries, removed })
    this.#hasWritten(this.#values)
    pool.applied()
  }

  /** The entries of the values that are not stored. */
  #newValues(values: Partial<Values>): Entry[] {
    const isNew = ([, value]: [string, object]) => !this.#storedValues.has(value)
    return Object.entries(values).filter(isNew).map(toValueEntry)
  }

  #hasWritten(values: Partial<Values>): void {
    this.#values = values
    this.#storedValues.clear()
    for (const value of Object.values(values)) this.#storedValues.add(value)
  }

  async #compareValues(): Promise<void> {
    this.#storedValues.clear()
    for (const [name, value] of Object.entries(this.#values)) {
      const found = await storedValue(this.#store, name as ValueName)
      if (found === textOf(value)) this.#storedValues.add(value)
    }
  }

  /** Comes before each write. @throws DatabaseStoppedError if the database cannot be opened again. */
  async #reopenIfStopped(): Promise<void> {
    if (!this.#reopens || !(await this.#store.isStopped())) return
    try {
      await this.#reopen()
    } catch (error) {
      throw new DatabaseStoppedError(toError(error))
    }
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

/** Key prefix, before a number, of transactions that are not sealed. */
export const POOL_KEY = 'preseal:pool:'

/** As many bytes of transactions share an entry: what is written again if one of them leaves alone. */
const GROUP_BYTES = 16_384

/** Transactions in one entry, at least one. */
interface Group {
  readonly key: string
  readonly members: readonly PoolEntry[]
}

/** A change of the entries. */
export interface PoolChange extends BatchPart {
  /** To be called once it is written. */
  applied(): void
}

/**
 * The entries of the transactions that are not sealed. Those that are added by one write share entries, since a database
 * takes about as long for a small entry as for a large one. An entry is written again without the transactions that leave
 * it, and removed with the last one.
 *
 * Owns: which entry has which transaction. Does not write: its changes are parts of batches.
 */
export class PoolEntries {
  readonly #groups = new Map<Hash, Group>()
  /** The place in the order of arrival with which each transaction is stored. */
  readonly #arrivals = new Map<Hash, number>()
  #nextNumber = 0

  /** The stored transactions, in the order of arrival. @throws DatabaseCorruptError */
  async read(store: BlockStore): Promise<PoolEntry[]> {
    const found: PoolEntry[] = []
    this.#groups.clear()
    this.#arrivals.clear()
    for (const [key, bytes] of await store.entriesOf(POOL_KEY)) {
      const members = decodePoolGroup(verified(key, bytes, `the entry ${key}`))
      this.#set({ key, members })
      found.push(...members)
      this.#nextNumber = Math.max(this.#nextNumber, Number(key.slice(POOL_KEY.length)) + 1)
    }
    return found.sort((a, b) => a.arrival - b.arrival)
  }

  /** Whether the transaction is stored. */
  has(hash: Hash): boolean {
    return this.#arrivals.has(hash)
  }

  /** Its place in the order of arrival; undefined if it is not stored. */
  arrival(hash: Hash): number | undefined {
    return this.#arrivals.get(hash)
  }

  /**
   * Adds and removes transactions. One that is stored can be added with another place.
   *
   * @param removed - those that are not stored are ignored.
   */
  change(added: readonly PoolEntry[], removed: Iterable<Hash>): PoolChange {
    const leaving = new Set(removed)
    for (const { hash } of added) leaving.add(hash)
    const emptied = new Set<Key>()
    const groups: Group[] = []
    for (const { key, members } of new Set([...leaving].flatMap((hash) => this.#groups.get(hash) ?? []))) {
      const staying = members.filter(({ hash }) => !leaving.has(hash))
      if (staying.length === 0) emptied.add(key)
      else groups.push({ key, members: staying })
    }
    for (const members of splitBySize(added, GROUP_BYTES, ({ raw }) => raw.length)) {
      groups.push({ key: POOL_KEY + this.#nextNumber++, members })
    }
    return {
      entries: groups.map(({ key, members }) => checked(key, encodePoolGroup(members))),
      removed: [...emptied],
      applied: () => {
        for (const hash of leaving) {
          this.#groups.delete(hash)
          this.#arrivals.delete(hash)
        }
        for (const group of groups) this.#set(group)
      },
    }
  }

  #set(group: Group): void {
    for (const { hash, arrival } of group.members) {
      this.#groups.set(hash, group)
      this.#arrivals.set(hash, arrival)
    }
  }
}

// The values that a chain keeps beside its blocks and transactions.

/** Key prefix, before its name, of a value. */
export const VALUE_KEY = 'preseal:value:'

/** The values by name: each as JSON, written whenever it is another object. */
export interface Values {
  readonly options: object
  readonly settings: object
}

/** The name of a value. */
export type ValueName = keyof Values

function toValueEntry([name, value]: [string, object]): Entry {
  return checked(VALUE_KEY + name, new TextEncoder().encode(textOf(value)))
}

/** The text of a value: the same for equal ones, whatever the order of their fields. */
function textOf(value: object): string {
  return valueToText(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** The entries of the values. */
export function valueEntries(values: Values): Entry[] {
  return Object.entries(values).map(toValueEntry)
}

/** The text of a stored value; undefined if there is none. @throws DatabaseCorruptError */
export async function storedValue(store: BlockStore, name: ValueName): Promise<string | undefined> {
  const key = VALUE_KEY + name
  const stored = await store.entry(key)
  return stored && new TextDecoder().decode(verified(key, stored, `the value ${name}`))
}

// The mempool as the journal sees it: the entries that it watches, and what was added together.

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

/** The entries of a mempool, which remember what was set and deleted. */
export class WatchedEntries extends Map<Hash, WaitingEntry> {
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
