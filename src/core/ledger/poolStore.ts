/**
 * The journal of a chain with a database. Owns: the order of all writes to the database, and the entries beside the
 * blocks: the transactions that are not sealed, the draft with the order of its transactions, the options, the settings,
 * the snapshots, the filters and the last ids. Does not own the mempool, whose entries it watches.
 *
 *   send        admitted() ─► batch ─► announced, answered          if it fails: undone
 *   tick, seal  write()    ─► batch ─► the tip is swapped ─► settle() ─► a batch, if the mempool lost more
 */

import { getOrInsert, splitBySize } from '../../base/collections.ts'
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
import { FilterEntries } from './filterEntries.ts'
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
import { Ids, type StoredIds } from './ids.ts'
import { valueToText } from './patchEncoding.ts'
import { SnapshotEntries, type StoredSnapshot } from './snapshotEntries.ts'
import { type EntriesChange, type JournalTip, NOTHING, type StoredChange } from './storedChange.ts'

/** Key of the hashes of the pre-confirmed transactions, in order. */
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
  readonly entries = new WatchedEntries()
  readonly ids: Ids
  readonly #filters = new FilterEntries()
  readonly #snapshots = new SnapshotEntries()
  readonly snapshots: Pick<SnapshotEntries, 'taken' | 'undoOf'> = this.#snapshots
  #mempool: Mempool | undefined
  readonly #stored = new PoolEntries()
  #values: Partial<Values> = {}
  readonly #storedValues = new Set<object>()
  #order: readonly Transaction[] = []
  /** Transactions that a written change has removed from the pre-confirmed ones, until {@link settle}. */
  readonly #leaving = new Set<Hash>()
  #admissions: WaitingAdmission[] = []
  readonly #unannounced = new Set<Admission>()
  readonly #answers = new WeakMap<Transaction, Promise<void>>()
  readonly #refused = new WeakMap<Transaction, unknown>()
  /** Whether a flush begins in the next microtask. */
  #isGathering = false
  #queue: Promise<unknown> = Promise.resolve()
  /** The flush that waits for its turn. */
  #waiting: Promise<void> | undefined

  /** @param reopens - whether a write after a failed one reopens the database first. @param ids - the stored ones. */
  constructor(store: BlockStore, onError: (error: Error) => void, reopens = false, ids: StoredIds = {}) {
    this.#store = store
    this.#onError = onError
    this.#reopens = reopens
    this.ids = new Ids(ids, () => this.store())
  }

  /** Reopens the database after a failed write. @throws the errors of `BlockStore.reopen` */
  async reopen(): Promise<void> {
    await this.#inTurn(() => this.#reopen())
    await this.settle()
  }

  attach(mempool: Mempool): void {
    this.#mempool = mempool
  }

  /** Reads the stored transactions, in the order of arrival. @throws DatabaseCorruptError */
  async transactions(): Promise<PoolEntry[]> {
    const found = await this.#stored.read(this.#store)
    // Marks them as changed, so that the next flush removes the ones not in use, such as ones that no longer decode.
    for (const { hash } of found) this.entries.changed.add(hash)
    return found
  }

  /** Reads the hashes of the pre-confirmed transactions, in order. @throws DatabaseCorruptError */
  async preconfirmed(): Promise<Hash[]> {
    const stored = await this.#store.entry(PRECONFIRMED_KEY)
    if (stored === undefined) return []
    return decodeHashes(verified(PRECONFIRMED_KEY, stored, 'the pre-confirmed transactions'))
  }

  /** Receives the pre-confirmed transactions that the database has at a start. Writes nothing. */
  resume(preconfirmed: readonly Transaction[]): void {
    this.#order = preconfirmed
  }

  /** Sets the values. {@link settle} writes the ones that differ from the database. @throws DatabaseCorruptError */
  async keep(values: Partial<Values>): Promise<void> {
    this.#values = values
    await this.#compareValues()
  }

  /** Stores transactions just added to the mempool, together with all others added before the next microtask. */
  admitted(admission: Admission): void {
    const answer = new Promise<void>((resolve, reject) => {
      const waiting = { ...admission, resolve, reject }
      this.#admissions.push(waiting)
      this.#unannounced.add(waiting)
    })
    // A failure is reported by `answer()`, which may not have been called yet.
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

  /** Resolves when a transaction is stored. @throws DatabaseWriteError, DatabaseStoppedError if it cannot be stored. */
  async answer(transaction: Transaction): Promise<void> {
    await this.#answers.get(transaction)
  }

  /** Writes entries, and the ids given out, in one batch. @throws DatabaseWriteError, DatabaseStoppedError */
  store(part: () => EntriesChange = () => NOTHING): Promise<void> {
    return this.#inTurn(async () => {
      await this.#reopenIfStopped()
      await this.#writeEntries([part()], this.#values)
    })
  }

  /** Reads which snapshots are stored. @throws DatabaseCorruptError */
  readSnapshots(): Promise<void> {
    return this.#snapshots.read(this.#store)
  }

  /** Reads the stored filters by id. @throws DatabaseCorruptError */
  readFilters(): Promise<ReadonlyMap<number, object>> {
    return this.#filters.read(this.#store)
  }

  /** Stores filters. @param filters - called when the write begins. @throws DatabaseWriteError */
  storeFilters(filters: () => readonly (readonly [id: number, filter: object])[]): Promise<void> {
    return this.store(() => this.#filters.set(filters()))
  }

  removeFilters(ids: readonly number[]): Promise<void> {
    return this.store(() => this.#filters.remove(ids))
  }

  /** Reads a snapshot; undefined if a revert to it is not possible. @throws DatabaseCorruptError */
  snapshot(id: number): Promise<StoredSnapshot | undefined> {
    return this.#snapshots.get(id, this.#store)
  }

  /** Stores a new snapshot. @param gone - see {@link SnapshotEntries.added}. @throws DatabaseWriteError */
  storeSnapshot(id: number, snapshot: StoredSnapshot, gone: readonly number[]): Promise<void> {
    return this.store(() => this.#snapshots.added(id, snapshot, gone))
  }

  /** Writes a change of the tip before the swap, in one batch. @throws DatabaseWriteError, DatabaseStoppedError */
  write(change: StoredChange | undefined, tip: JournalTip): Promise<void> {
    const { preconfirmed, settings, draft, dropped = [], reverted } = tip
    return this.#inTurn(async () => {
      await this.#reopenIfStopped()
      // A send that could not be stored meanwhile has left the mempool, so it must not be pre-confirmed.
      for (const tx of preconfirmed) if (this.#refused.has(tx)) throw this.#refused.get(tx)
      const gone = new Set(dropped)
      for (const { hash } of change?.added?.transactions ?? []) gone.add(hash)
      const pool = this.#stored.change(this.#missing(preconfirmed), gone)
      const order = isSame(preconfirmed, this.#order) ? undefined : hashesOf(preconfirmed)
      const values = { ...this.#values, settings, draft: this.#sameDraft(draft) }
      const snapshots = this.#snapshots.change(change, reverted)
      await this.#writeEntries([pool, snapshots], values, order, change)
      for (const { hash } of this.#order) if (this.#stored.has(hash)) this.#leaving.add(hash)
      for (const { hash } of preconfirmed) this.#leaving.delete(hash)
      this.#order = preconfirmed
    })
  }

  /**
   * Writes the changes that the swap made to the mempool and {@link write} did not include, if any. A failure goes to
   * `onError`, and the next write includes the changes.
   */
  settle(): Promise<void> | undefined {
    for (const hash of this.#leaving) this.entries.changed.add(hash)
    this.#leaving.clear()
    if (this.entries.changed.size === 0 && this.#newValues(this.#values).length === 0) return undefined
    return this.#flush().catch((error) => this.#onError(toError(error)))
  }

  /** Announces unstored sends that the swap took out of the mempool. Runs before the swap is announced. */
  announceGone(): void {
    for (const admission of this.#unannounced) {
      const isGone = admission.transactions.some(({ hash }) => !this.entries.has(hash))
      if (isGone) this.#announce(admission)
    }
  }

  /** Adds to the draft how far its slot has come. {@link close} writes the draft. */
  stopSlot(slot: object): void {
    this.#values = { ...this.#values, draft: this.#sameDraft({ ...this.#values.draft, ...slot }) }
  }

  async close(): Promise<void> {
    await this.settle()
    await this.#queue
  }

  /** Writes the changes of the mempool and of the values, including all that happen while the write waits. */
  #flush(): Promise<void> {
    this.#waiting ??= this.#inTurn(async () => {
      this.#waiting = undefined
      const admissions = this.#admissions
      this.#admissions = []
      try {
        await this.#writeChanged()
      } catch (error) {
        // Newest first: a later admission may have displaced an earlier one.
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

  /** Removes transactions from the mempool, and adds back the stored ones that they displaced. */
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
      } catch (refusal) {
        if (!(refusal instanceof TransactionRejectedError)) throw refusal
        const reason = toDropReason(refusal)
        this.#mempool!.lost(transaction, reason)
        lost.push({ transaction, reason })
      }
    }
    onLost(lost)
  }

  async #writeChanged(): Promise<void> {
    await this.#reopenIfStopped()
    const changed = [...this.entries.changed]
    this.entries.changed.clear()
    const preconfirmed = new Set(hashesOf(this.#order))
    const added: PoolEntry[] = []
    const removed: Hash[] = []
    for (const hash of changed) {
      const entry = this.entries.get(hash)
      const isKept = preconfirmed.has(hash) || this.#leaving.has(hash)
      if (entry === undefined) {
        if (!isKept) removed.push(hash)
      } else if (entry.arrival !== this.#stored.arrival(hash)) {
        added.push(toPoolEntry(entry.transaction, entry.arrival))
      }
    }
    const pool = this.#stored.change(added, removed)
    try {
      await this.#writeEntries([pool], this.#values)
    } catch (error) {
      for (const hash of changed) this.entries.changed.add(hash)
      throw error
    }
  }

  /** The failed write may have reached the disk, so all but the blocks is compared or written again. */
  async #reopen(): Promise<void> {
    await this.#store.reopen()
    await this.transactions()
    for (const hash of this.entries.keys()) this.entries.changed.add(hash)
    const pool = this.#stored.change(this.#missing(this.#order), [])
    await this.#compareValues()
    const order = hashesOf(this.#order)
    const isStored = String(await this.preconfirmed()) === String(order)
    await this.#snapshots.read(this.#store)
    await this.#filters.read(this.#store)
    await this.#writeEntries([pool], this.#values, isStored ? undefined : order)
  }

  #missing(preconfirmed: readonly Transaction[]): PoolEntry[] {
    return preconfirmed.filter(({ hash }) => !this.#stored.has(hash)).map((tx) => toPoolEntry(tx, 0))
  }

  /** Writes entries, new values, and `order` if given. If there is a `change`, they join its batch. */
  async #writeEntries(
    changes: readonly EntriesChange[],
    changed: Partial<Values>,
    order?: readonly Hash[],
    change?: StoredChange,
  ): Promise<void> {
    const removed = changes.flatMap((one) => one.removed)
    const values = { ...changed, ids: this.ids.stored }
    const entries = [...changes.flatMap((one) => one.entries), ...this.#newValues(values)]
    if (order !== undefined) entries.push(checked(PRECONFIRMED_KEY, encodeHashes(order)))
    if (change !== undefined) await this.#store.write({ ...change, part: { entries, removed } })
    else if (entries.length > 0 || removed.length > 0) await this.#store.writePart({ entries, removed })
    this.#values = values
    this.#storedValues.clear()
    for (const value of Object.values(values)) this.#storedValues.add(value)
    for (const one of changes) one.applied()
  }

  /** Returns the stored draft if it equals this one, so that it is not written again. */
  #sameDraft(draft: object): object {
    const stored = this.#values.draft
    return stored !== undefined && textOf(stored) === textOf(draft) ? stored : draft
  }

  #newValues(values: Partial<Values>): Entry[] {
    const isNew = ([, value]: [string, object]) => !this.#storedValues.has(value)
    return Object.entries(values).filter(isNew).map(toValueEntry)
  }

  async #compareValues(): Promise<void> {
    this.#storedValues.clear()
    for (const [name, value] of Object.entries(this.#values)) {
      const found = await storedValue(this.#store, name as ValueName)
      if (found === textOf(value)) this.#storedValues.add(value)
    }
  }

  /** Runs before each write, and reopens a stopped database. @throws DatabaseStoppedError if that fails */
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

/** Key prefix of groups of waiting and pre-confirmed transactions. A number follows. */
export const POOL_KEY = 'preseal:pool:'

/** How many bytes of transactions share an entry. All of them are written again when one transaction leaves. */
const GROUP_BYTES = 16_384

interface Group {
  readonly key: string
  readonly members: readonly PoolEntry[]
}

/**
 * The stored transactions, grouped into entries, since a small entry takes about as long to write as a large one. When
 * a transaction leaves, its entry is written again without it. Does not write: its changes are parts of batches.
 */
class PoolEntries {
  readonly #places = new Map<Hash, { readonly group: Group; readonly arrival: number }>()
  #nextNumber = 0

  /** Reads the stored transactions, in the order of arrival. @throws DatabaseCorruptError */
  async read(store: BlockStore): Promise<PoolEntry[]> {
    const found: PoolEntry[] = []
    this.#places.clear()
    for (const [key, bytes] of await store.entriesOf(POOL_KEY)) {
      const members = decodePoolGroup(verified(key, bytes, `the entry ${key}`))
      this.#set({ key, members })
      found.push(...members)
      this.#nextNumber = Math.max(this.#nextNumber, Number(key.slice(POOL_KEY.length)) + 1)
    }
    return found.sort((a, b) => a.arrival - b.arrival)
  }

  has(hash: Hash): boolean {
    return this.#places.has(hash)
  }

  /** Returns the stored position in the order of arrival; undefined if the transaction is not stored. */
  arrival(hash: Hash): number | undefined {
    return this.#places.get(hash)?.arrival
  }

  /** Returns the change for a batch. Adding a stored transaction replaces it; removing an unknown one does nothing. */
  change(added: readonly PoolEntry[], removed: Iterable<Hash>): EntriesChange {
    const leaving = new Set(removed)
    for (const { hash } of added) leaving.add(hash)
    const emptied = new Set<Key>()
    const groups: Group[] = []
    const changed = new Set([...leaving].flatMap((hash) => this.#places.get(hash)?.group ?? []))
    for (const { key, members } of changed) {
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
        for (const hash of leaving) this.#places.delete(hash)
        for (const group of groups) this.#set(group)
      },
    }
  }

  #set(group: Group): void {
    for (const { hash, arrival } of group.members) this.#places.set(hash, { group, arrival })
  }
}

/** Key prefix of a value. Its name follows. */
export const VALUE_KEY = 'preseal:value:'

/** Values by name, stored as JSON. Each is written again only when it is replaced by a different object. */
export interface Values {
  readonly options: object
  readonly settings: object
  readonly draft: object
  readonly ids: object
}

/** See {@link Values}. */
export type ValueName = keyof Values

function toValueEntry([name, value]: [string, object]): Entry {
  return checked(VALUE_KEY + name, new TextEncoder().encode(textOf(value)))
}

/** Returns the text of a value, independent of the order of its fields. */
function textOf(value: object): string {
  return getOrInsert(texts, value, () =>
    valueToText(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))),
  )
}

/** The texts of values, which are replaced as a whole: a value is compared with the next one before it is written. */
const texts = new WeakMap<object, string>()

/** Encodes values as entries. */
export function valueEntries(values: Partial<Values>): Entry[] {
  return Object.entries(values).map(toValueEntry)
}

/** Reads the text of a value; undefined if there is none. @throws DatabaseCorruptError */
export async function storedValue(store: BlockStore, name: ValueName): Promise<string | undefined> {
  const key = VALUE_KEY + name
  const stored = await store.entry(key)
  return stored && new TextDecoder().decode(verified(key, stored, `the value ${name}`))
}

/** Transactions added to the mempool together. */
interface Admission {
  readonly transactions: readonly Transaction[]
  readonly displaced: readonly Dropped[]
  /** Called when the transactions are stored, or when one of them leaves the mempool earlier. */
  announce(): void
  /** Called if the transactions cannot be stored, with the transactions that the mempool lost as a result. */
  onLost(dropped: readonly Dropped[]): void
}

/** Records the hashes that a mempool sets or deletes. */
class WatchedEntries extends Map<Hash, WaitingEntry> {
  readonly changed = new Set<Hash>()

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
