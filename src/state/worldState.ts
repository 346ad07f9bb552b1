/**
 * The sealed state: one flat map with the history of every entry, one version per block.
 *
 * Owns: accounts, storage and code of all sealed versions, and which versions are alive. Does not own blocks, roots or
 * what is not sealed yet; layers over a version are values in other hands.
 *
 *   commit(changes) ──► version n+1      key: oldest … older … newest entry
 *   revert(version) ──► cuts the entries above it off, and kills the versions they belonged to
 *   prune(version)  ──► forgets what only older versions can see, and kills those
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
  /** Ends of the list of the versions alive. */
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

  /** Makes `changes` the next version; where nothing differs from the head, that is the head itself. */
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
      // Storage that was cleared again before the block ended: no entry refers to it any more.
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
    // Copied to size: a list that grew keeps room for more, and these stay as long as their version.
    const written = { accounts: accounts.slice(), slots: slots.slice(), codes: codes.slice() }
    const listed = { version, written, older: this.#newest }
    this.#newest.newer = listed
    this.#newest = listed
    return version
  }

  /**
   * Returns to `version`: everything newer is undone, and the newer versions are dead from then on.
   * @throws StateUnavailableError if `version` is dead already.
   */
  revert(version: StateVersion): void {
    version.assertAlive()
    while (this.head !== version) {
      const { version: dead, written, older } = this.#newest
      dead.kill()
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

  /** Makes `oldest` the oldest version alive and frees what only its ancestors could see; codes are kept. */
  prune(oldest: StateVersion): void {
    oldest.assertAlive()
    while (this.#oldest.version !== oldest) {
      this.#oldest.version.kill()
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
        // An id that an account has given up never comes back, so its slots have lost their last reader.
        if (forgotten && this.#accounts.at(address, position)?.storageId !== forgotten.storageId) {
          this.#slots.delete(forgotten.storageId)
        }
      }
    }
  }

  /**
   * The whole state of a version as changes from none; costs what exists.
   * @throws StateUnavailableError if `version` is dead.
   */
  everythingAt(version: StateVersion): StateChanges {
    version.assertAlive()
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
   * The positions of the versions that raised the nonce of an account above `nonce`, newest first; the oldest entry of the
   * account counts as a rise.
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

  /** How many accounts, slots, codes and versions are held, and entries over all of them; what memory grows with. */
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

/** The sealed state after one block. Its identity is its id: a version cut off by revert or prune never comes back. */
export class StateVersion implements StateReader {
  /** Place in the chain of versions; reused after a revert, unlike the object. */
  readonly position: number
  readonly #reads: VersionReads
  #alive = true

  /** @internal made by {@link WorldState} only. */
  constructor(reads: VersionReads, position: number) {
    this.#reads = reads
    this.position = position
  }

  /** @throws StateUnavailableError once the version is dead. */
  account(address: Address): AccountRecord | undefined {
    this.assertAlive()
    return this.#reads.account(address, this.position)
  }

  /** @throws StateUnavailableError once the version is dead. */
  slot(storageId: number, key: Hex): bigint {
    this.assertAlive()
    return this.#reads.slot(storageId, key, this.position)
  }

  /** @throws StateUnavailableError once the version is dead. */
  code(codeHash: Hash): Uint8Array {
    this.assertAlive()
    return codeHash === EMPTY_CODE_HASH ? NO_CODE : this.#reads.code(codeHash)
  }

  /** Whether it can be read still. */
  get isAlive(): boolean {
    return this.#alive
  }

  /** @throws StateUnavailableError once the version is dead. */
  assertAlive(): void {
    if (!this.#alive) throw new StateUnavailableError()
  }

  /** @internal called by {@link WorldState} only. */
  kill(): void {
    this.#alive = false
  }
}

interface VersionReads {
  account(address: Address, position: number): AccountRecord | undefined
  slot(storageId: number, key: Hex, position: number): bigint
  code(codeHash: Hash): Uint8Array
}

/** A version alive, with the keys it wrote, between its neighbours. */
interface ListedVersion {
  readonly version: StateVersion
  readonly written: WrittenKeys
  older?: ListedVersion | undefined
  newer?: ListedVersion | undefined
}

interface WrittenKeys {
  readonly accounts: readonly Address[]
  readonly slots: readonly (readonly [storageId: number, keys: readonly Hex[]])[]
  /** Those that no version before held. */
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
