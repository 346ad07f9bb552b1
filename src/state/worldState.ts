/**
 * The sealed state: one flat map with the history of every entry, one version per block.
 *
 * Owns: accounts, storage and code of all sealed versions, and which versions are retained. Does not own blocks, roots
 * or unsealed state; layers over a version belong to their creators.
 *
 *   commit(changes) ──► version n+1      key: oldest … older … newest entry
 *   revert(version) ──► removes the newer versions with their entries
 *   prune(version)  ──► removes the older versions with the entries that only they can read
 */

import type { Address, Hash, Hex } from '../primitives/types.ts'
import {
  type AccountRecord,
  EMPTY_CODE_HASH,
  NO_CODE,
  type StateChanges,
  type StateReader,
} from './account.ts'
import { StateUnavailableError } from './errors.ts'
import { History } from './history.ts'

/** Versions of the sealed state; see the file's header. */
export class WorldState {
  readonly #accounts = new History<Address, AccountRecord | null>(null)
  readonly #slots = new Map<number, History<Hex, bigint>>()
  readonly #codes = new Map<Hash, Uint8Array>()
  /** The ends of the list of retained versions. */
  #oldest: ListedVersion
  #newest: ListedVersion

  constructor() {
    this.#newest = { version: new StateVersion(this.#read, 0), written: NOTHING_WRITTEN }
    this.#oldest = this.#newest
  }

  /** The newest version. */
  get head(): StateVersion {
    return this.#newest.version
  }

  /** Makes `changes` the next version. Returns the head itself if nothing differs from it. */
  commit(changes: StateChanges): StateVersion {
    const head = this.head.position
    const position = head + 1
    const accounts: Address[] = []
    const slots: [number, Hex[]][] = []
    const codes: Hash[] = []
    const reachable = new Set<number>()
    for (const [address, value] of changes.accounts) {
      if (value !== null) reachable.add(value.storageId)
      if (sameAccount(this.#accounts.at(address, head), value)) continue
      this.#accounts.push(address, position, value)
      accounts.push(address)
    }
    for (const [id, entries] of changes.slots) {
      // The storage was cleared again before the block ended: no account refers to it.
      if (!reachable.has(id)) continue
      const history = this.#slots.get(id) ?? new History<Hex, bigint>(0n)
      const keys: Hex[] = []
      for (const [key, value] of entries) {
        if (history.at(key, head) === value) continue
        history.push(key, position, value)
        keys.push(key)
      }
      if (keys.length === 0) continue
      this.#slots.set(id, history)
      slots.push([id, keys.slice()])
    }
    for (const [hash, code] of changes.codes) {
      if (this.#codes.has(hash)) continue
      this.#codes.set(hash, code)
      codes.push(hash)
    }
    if (accounts.length + slots.length + codes.length === 0) return this.head
    const version = new StateVersion(this.#read, position)
    // Copied to trim the capacity of lists that grew: these live as long as their version.
    const written = { accounts: accounts.slice(), slots: slots.slice(), codes: codes.slice() }
    const listed = { version, written, older: this.#newest }
    this.#newest.newer = listed
    this.#newest = listed
    return version
  }

  /**
   * Reverts to `version`: everything newer is undone, and the newer versions are no longer retained.
   * @throws StateUnavailableError if `version` is not retained.
   */
  revert(version: StateVersion): void {
    version.assertRetained()
    while (this.head !== version) {
      const { version: reverted, written, older } = this.#newest
      reverted.release()
      this.#newest = older!
      older!.newer = undefined
      for (const address of written.accounts) this.#accounts.pop(address)
      for (const [id, keys] of written.slots) {
        const history = this.#slots.get(id)!
        for (const key of keys) history.pop(key)
        if (history.keys === 0) this.#slots.delete(id)
      }
      for (const hash of written.codes) this.#codes.delete(hash)
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
      const { version, written } = this.#oldest
      const { position } = version
      for (const [id, keys] of written.slots) {
        const history = this.#slots.get(id)!
        for (const key of keys) history.forget(key, position)
        if (history.keys === 0) this.#slots.delete(id)
      }
      for (const address of written.accounts) {
        const forgotten = this.#accounts.forget(address, position)
        // The account has another storage id now, and an id is never reused: nothing can read the old slots.
        if (forgotten && this.#accounts.at(address, position)?.storageId !== forgotten.storageId) {
          this.#slots.delete(forgotten.storageId)
        }
      }
    }
  }

  /**
   * The whole state of a version as changes to an empty state, at a cost proportional to all that is held.
   * @throws StateUnavailableError if `version` is not retained.
   */
  everythingAt(version: StateVersion): StateChanges {
    version.assertRetained()
    const { position } = version
    const accounts = new Map(this.#accounts.entriesAt(position))
    const slots = new Map<number, ReadonlyMap<Hex, bigint>>()
    for (const account of accounts.values()) {
      const history = account === null ? undefined : this.#slots.get(account.storageId)
      if (history !== undefined) slots.set(account!.storageId, new Map(history.entriesAt(position)))
    }
    return { accounts, slots, codes: this.#codes }
  }

  /**
   * The positions of the versions that raised an account's nonce above `nonce`, newest first. The account's oldest
   * entry counts as a rise if its nonce is above.
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

  /** The numbers of accounts, slots, codes, versions and entries that are held; memory grows with them. */
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

  readonly #read: VersionReads = {
    account: (address, position) => this.#accounts.at(address, position) ?? undefined,
    slot: (storageId, key, position) => this.#slots.get(storageId)?.at(key, position) ?? 0n,
    code: (codeHash) => this.#codes.get(codeHash) ?? NO_CODE,
  }
}

/** What a {@link WorldState} holds in memory. */
export interface WorldSize {
  readonly accounts: number
  readonly slots: number
  readonly codes: number
  /** Values of accounts and slots, one per version that changed one. */
  readonly entries: number
  readonly versions: number
}

/** The sealed state after one block, compared by identity; one that `revert` or `prune` removed never comes back. */
export class StateVersion implements StateReader {
  /** The index in the chain of versions; reused after a revert, unlike the object. */
  readonly position: number
  readonly #reads: VersionReads
  #retained = true

  /** @internal created by {@link WorldState} only. */
  constructor(reads: VersionReads, position: number) {
    this.#reads = reads
    this.position = position
  }

  /** @throws StateUnavailableError once the version is no longer retained. */
  account(address: Address): AccountRecord | undefined {
    this.assertRetained()
    return this.#reads.account(address, this.position)
  }

  /** @throws StateUnavailableError once the version is no longer retained. */
  slot(storageId: number, key: Hex): bigint {
    this.assertRetained()
    return this.#reads.slot(storageId, key, this.position)
  }

  /** @throws StateUnavailableError once the version is no longer retained. */
  code(codeHash: Hash): Uint8Array {
    this.assertRetained()
    return codeHash === EMPTY_CODE_HASH ? NO_CODE : this.#reads.code(codeHash)
  }

  /** Whether it can still be read. */
  get isRetained(): boolean {
    return this.#retained
  }

  /** @throws StateUnavailableError once the version is no longer retained. */
  assertRetained(): void {
    if (!this.#retained) throw new StateUnavailableError()
  }

  /** @internal called by {@link WorldState} only. */
  release(): void {
    this.#retained = false
  }
}

interface VersionReads {
  account(address: Address, position: number): AccountRecord | undefined
  slot(storageId: number, key: Hex, position: number): bigint
  code(codeHash: Hash): Uint8Array
}

/** A retained version with the keys it wrote, linked to its neighbours. */
interface ListedVersion {
  readonly version: StateVersion
  readonly written: WrittenKeys
  older?: ListedVersion | undefined
  newer?: ListedVersion | undefined
}

interface WrittenKeys {
  readonly accounts: readonly Address[]
  readonly slots: readonly (readonly [storageId: number, keys: readonly Hex[]])[]
  /** Codes that no earlier version had. */
  readonly codes: readonly Hash[]
}

const NOTHING_WRITTEN: WrittenKeys = { accounts: [], slots: [], codes: [] }

function sameAccount(a: AccountRecord | null, b: AccountRecord | null): boolean {
  if (a === null || b === null || a === b) return a === b
  return (
    a.nonce === b.nonce &&
    a.balance === b.balance &&
    a.codeHash === b.codeHash &&
    a.storageId === b.storageId &&
    a.slotCount === b.slotCount
  )
}
