/**
 * The sealed state: one flat map with the history of every entry, over a source. Each block or cheat that changes it
 * makes a version.
 *
 * Owns: accounts, storage and code of all sealed versions, and which versions are retained. Does not own: blocks,
 * roots, layers over versions, and the source, which never changes: entries that no version has written are read from
 * it. Deleted accounts and cleared slots are entries.
 *
 *   commit(changes) ──► version n+1      key: oldest … older … newest entry
 *   revert(version) ──► removes the newer versions with their entries
 *   prune(version)  ──► removes the older versions with the entries that only they can read
 */
import type { Address, Hash, Hex } from '../../base/types.ts'
import {
  type AccountRecord,
  EMPTY_CODE_HASH,
  EMPTY_SOURCE,
  isSameAccount,
  NO_CODE,
  type StateChanges,
  type StateReader,
  type StateSource,
} from './account.ts'
import {
  compareStates,
  eachSlot,
  NOTHING_WRITTEN,
  ownersOf,
  type StateDifference,
  type StorageOwners,
  trimmed,
  type WrittenKeys,
  type WrittenSlots,
} from './difference.ts'
import { StateUnavailableError } from './errors.ts'
import { History } from './history.ts'

/** Keeps the versions of the sealed state; `head` is the newest. */
export class WorldState {
  readonly #source: StateSource
  readonly #accounts: History<Address, AccountRecord | null>
  readonly #slots = new Map<number, History<Hex, bigint>>()
  readonly #codes = new Map<Hash, Uint8Array>()
  #oldest: ListedVersion
  #newest: ListedVersion

  constructor(source: StateSource = EMPTY_SOURCE) {
    this.#source = source
    this.#accounts = new History(source === EMPTY_SOURCE ? null : undefined)
    const first = new StateVersion(this.#read, 0, source.lastStorageId)
    this.#newest = new ListedVersion(first, NOTHING_WRITTEN)
    this.#oldest = this.#newest
  }

  get head(): StateVersion {
    return this.#newest.version
  }

  /** Makes `changes` the next version; returns the head if they change nothing. */
  commit(changes: StateChanges): StateVersion {
    const { position: head } = this.head
    const position = head + 1
    // All reads come before the first write, so that a read that throws leaves nothing changed.
    const accounts: Address[] = []
    const slots: (number | Hex)[] = []
    const codes: Hash[] = []
    const reachable = new Set<number>()
    // `forEach`: a loop would be compiled with everything it calls, which takes as long as 100 blocks.
    changes.accounts.forEach((value, address) => {
      if (value !== null) reachable.add(value.storageId)
      // An account with a written forked storage needs an entry: only the entry tells whose slots these are.
      const isWritten = value !== null && value.storageId < 0 && changes.slots.has(value.storageId)
      const isNew = isWritten && this.#accounts.at(address, head) === undefined
      if (isNew || !isSameAccount(this.#read.account(address, head) ?? null, value)) accounts.push(address)
    })
    changes.slots.forEach((entries, id) => {
      // The storage was cleared before the block ended: no account refers to it.
      if (!reachable.has(id)) return
      const { length } = slots
      slots.push(id)
      // A forked slot may have been written without being read.
      const before = id < 0 ? this.#slots.get(id) : undefined
      entries.forEach((value, key) => {
        const known = id < 0 ? before?.at(key, head) : this.#read.slot(id, key, head)
        if (known !== value) slots.push(key)
      })
      if (slots.length === length + 1) slots.length = length
    })
    for (const address of accounts) this.#accounts.push(address, position, changes.accounts.get(address)!)
    eachSlot(slots, (id, key) => {
      const history = this.#slots.get(id) ?? this.#createSlotHistory(id)
      history.push(key, position, changes.slots.get(id)!.get(key)!)
    })
    for (const [hash, code] of changes.codes) {
      if (this.#codes.has(hash)) continue
      this.#codes.set(hash, code)
      codes.push(hash)
    }
    if (accounts.length + slots.length + codes.length === 0) return this.head
    const version = new StateVersion(this.#read, position, changes.lastStorageId ?? this.head.lastStorageId)
    const listed = new ListedVersion(version, trimmed({ accounts, slots, codes }))
    listed.older = this.#newest
    this.#newest.newer = listed
    this.#newest = listed
    return version
  }

  /** Undoes and releases everything newer than `version`. @throws StateUnavailableError if it is not retained. */
  revert(version: StateVersion): void {
    version.assertRetained()
    while (this.head !== version) {
      const { version: reverted, accounts, slots, codes, older } = this.#newest
      reverted.release()
      this.#newest = older!
      older!.newer = undefined
      for (const address of accounts) this.#accounts.pop(address)
      eachSlot(slots, (id, key) => {
        const history = this.#slots.get(id)!
        history.pop(key)
        if (history.keys === 0) this.#slots.delete(id)
      })
      for (const hash of codes) this.#codes.delete(hash)
    }
  }

  /**
   * Makes `oldest` the oldest retained version, and removes the entries that only its ancestors could read; codes stay.
   * @throws StateUnavailableError if `oldest` is not retained.
   */
  prune(oldest: StateVersion): void {
    oldest.assertRetained()
    while (this.#oldest.version !== oldest) {
      this.#oldest.version.release()
      this.#oldest = this.#oldest.newer!
      this.#oldest.older = undefined
      const { version, accounts, slots } = this.#oldest
      const { position } = version
      eachSlot(slots, (id, key) => {
        const history = this.#slots.get(id)!
        history.forget(key, position)
        if (history.keys === 0) this.#slots.delete(id)
      })
      for (const address of accounts) {
        const forgotten = this.#accounts.forget(address, position)
        // If no retained version has the storage, nothing can read its slots. A retained version may have it again:
        // after a resumed chain was rewound to a stored block.
        if (forgotten && !this.#hasStorage(address, forgotten.storageId)) {
          this.#slots.delete(forgotten.storageId)
        }
      }
    }
  }

  /** The whole state of a version as changes to an empty state. @throws StateUnavailableError, Missing */
  everythingAt(version: StateVersion): StateChanges {
    return version.everything()
  }

  /** The owners of storages in the newest version. A forked storage is included only if it was written. */
  owners(): StorageOwners {
    return ownersOf(this.#accounts.entriesAt(this.head.position))
  }

  /** The difference from `before` to `after`; either may be the older version. */
  difference(before: StateVersion, after: StateVersion): StateDifference {
    const [older, newer] = before.position < after.position ? [before, after] : [after, before]
    const written: WrittenKeys[] = []
    for (let at = this.#newest; at.version.position > older.position; at = at.older!) {
      if (at.version.position <= newer.position) written.push(at)
    }
    return compareStates(
      written,
      before,
      after,
      (id, { position }) => this.#slots.get(id)?.entriesAt(position) ?? [],
    )
  }

  #everything(position: number, lastStorageId: number): StateChanges {
    const before = this.#source.everything()
    const accounts = new Map([...before.accounts, ...this.#accounts.entriesAt(position)])
    const slots = new Map<number, ReadonlyMap<Hex, bigint>>()
    for (const account of accounts.values()) {
      if (account === null || account.storageId === 0) continue
      const id = account.storageId
      const written = this.#slots.get(id)?.entriesAt(position) ?? []
      slots.set(id, new Map([...(before.slots.get(id) ?? []), ...written]))
    }
    return { accounts, slots, codes: new Map([...before.codes, ...this.#codes]), lastStorageId }
  }

  /**
   * The positions of the versions that raised an account's nonce above `nonce`, newest first. The account's oldest
   * entry counts as a rise if its nonce is above `nonce`.
   */
  *nonceRises(address: Address, nonce: bigint): Iterable<number> {
    let rise: number | undefined
    for (const { position, value } of this.#accounts.newestFirst(address)) {
      const isAbove = value !== null && value.nonce > nonce
      if (!isAbove && rise !== undefined) yield rise
      rise = isAbove ? position : undefined
    }
    if (rise !== undefined) yield rise
  }

  size(): WorldSize {
    let { entries } = this.#accounts
    let slots = 0
    for (const history of this.#slots.values()) {
      slots += history.keys
      entries += history.entries
    }
    let versions = 0
    for (let at: ListedVersion | undefined = this.#oldest; at !== undefined; at = at.newer) versions += 1
    return { accounts: this.#accounts.keys, slots, codes: this.#codes.size, entries, versions }
  }

  #hasStorage(address: Address, storageId: number): boolean {
    for (const { value } of this.#accounts.newestFirst(address)) {
      if (value?.storageId === storageId) return true
    }
    return false
  }

  #createSlotHistory(storageId: number): History<Hex, bigint> {
    const history = new History<Hex, bigint>(this.#isInSource(storageId) ? undefined : 0n)
    this.#slots.set(storageId, history)
    return history
  }

  #isInSource(storageId: number): boolean {
    return storageId <= this.#source.lastStorageId
  }

  readonly #read: VersionReads = {
    account: (address, position) => {
      const value = this.#accounts.at(address, position)
      return (value === undefined ? this.#source.account(address) : value) ?? undefined
    },
    slot: (storageId, key, position) =>
      this.#slots.get(storageId)?.at(key, position) ??
      (this.#isInSource(storageId) ? this.#source.slot(storageId, key) : 0n),
    code: (codeHash) => this.#codes.get(codeHash) ?? this.#source.code(codeHash),
    everything: (position, lastStorageId) => this.#everything(position, lastStorageId),
  }
}

/** How many values the state keeps, by which tests find leaks. */
export interface WorldSize {
  readonly accounts: number
  readonly slots: number
  readonly codes: number
  /** The number of stored values of accounts and slots: one per version that changed an account or a slot. */
  readonly entries: number
  readonly versions: number
}

/**
 * A version of the sealed state, after a block or a cheat that changed the state. Blocks without changes share their parent's
 * version. Versions are compared by identity. Once `revert` or `prune` has removed a version, its reads throw
 * {@link StateUnavailableError}.
 */
export class StateVersion implements StateReader {
  /** The index in the list of versions; a new version reuses it after a revert. Negative if {@link isStored}. */
  readonly position: number
  readonly lastStorageId: number
  readonly #reads: VersionReads
  #retained = true

  constructor(reads: VersionReads, position: number, lastStorageId: number) {
    this.#reads = reads
    this.position = position
    this.lastStorageId = lastStorageId
  }

  account(address: Address): AccountRecord | undefined {
    this.assertRetained()
    return this.#reads.account(address, this.position)
  }

  slot(storageId: number, key: Hex): bigint {
    this.assertRetained()
    return this.#reads.slot(storageId, key, this.position)
  }

  code(codeHash: Hash): Uint8Array {
    this.assertRetained()
    return codeHash === EMPTY_CODE_HASH ? NO_CODE : this.#reads.code(codeHash)
  }

  /** Whether it precedes the world state's versions, and is read from a database. */
  get isStored(): boolean {
    return this.position < 0
  }

  everything(): StateChanges {
    this.assertRetained()
    return this.#reads.everything(this.position, this.lastStorageId)
  }

  get isRetained(): boolean {
    return this.#retained
  }

  assertRetained(): void {
    if (!this.#retained) throw new StateUnavailableError()
  }

  /** @internal called by {@link WorldState} only. */
  release(): void {
    this.#retained = false
  }
}

/** The reads of a version by its position, without a check whether it is retained. */
export interface VersionReads {
  account(address: Address, position: number): AccountRecord | undefined
  slot(storageId: number, key: Hex, position: number): bigint
  code(codeHash: Hash): Uint8Array
  everything(position: number, lastStorageId: number): StateChanges
}

/** A retained version with its written keys, linked to its neighbours. One object for all, as every block has one. */
class ListedVersion implements WrittenKeys {
  readonly version: StateVersion
  readonly accounts: readonly Address[]
  readonly slots: WrittenSlots
  readonly codes: readonly Hash[]
  older: ListedVersion | undefined = undefined
  newer: ListedVersion | undefined = undefined

  constructor(version: StateVersion, { accounts, slots, codes }: WrittenKeys) {
    this.version = version
    this.accounts = accounts
    this.slots = slots
    this.codes = codes
  }
}
