/**
 * The sealed state: one flat map with the history of every entry, one version per block.
 *
 * Owns: accounts, storage and code of all sealed versions, and which versions are alive. Does not own blocks, roots or
 * what is not sealed yet; layers over a version are values in other hands.
 *
 *   commit(changes) ──► version n+1      entry: newest ─► older ─► oldest
 *   revert(version) ──► cuts the entries above it off, and kills the versions they belonged to
 *   prune(version)  ──► forgets what only older versions can see, and kills those
 */
import { StateUnavailableError } from '../errors.ts'
import type { Address, Hash, Hex } from '../types.ts'
import {
  type AccountRecord,
  EMPTY_CODE_HASH,
  NO_CODE,
  type StateChanges,
  type StateReader,
} from './account.ts'
import { isUnchanged } from './layer.ts'

/** Versions of the sealed state; see the file's header. */
export class WorldState {
  readonly #accounts: History<Address, AccountRecord | null> = new Map()
  readonly #slots = new Map<number, History<Hex, bigint>>()
  readonly #codes = new Map<Hash, Uint8Array>()
  /** Alive versions, oldest first, with the keys each of them wrote. */
  readonly #versions: { readonly version: StateVersion; readonly written: WrittenKeys }[] = []

  constructor() {
    this.#versions.push({ version: new StateVersion(this.#read, 0), written: NOTHING_WRITTEN })
  }

  /** The newest version. */
  get head(): StateVersion {
    return this.#versions.at(-1)!.version
  }

  /** Makes `changes` the next version; where nothing changed, that is the head itself. */
  commit(changes: StateChanges): StateVersion {
    if (isUnchanged(changes)) return this.head
    const version = new StateVersion(this.#read, this.head.position + 1)
    const { position } = version
    for (const [hash, code] of changes.codes) this.#codes.set(hash, code)
    for (const [id, entries] of changes.slots) {
      let history = this.#slots.get(id)
      if (history === undefined) {
        history = new Map()
        this.#slots.set(id, history)
      }
      for (const [key, value] of entries) history.set(key, { position, value, older: history.get(key) })
    }
    for (const [address, value] of changes.accounts) {
      this.#accounts.set(address, { position, value, older: this.#accounts.get(address) })
    }
    const slots: [number, Hex[]][] = []
    for (const [id, entries] of changes.slots) slots.push([id, [...entries.keys()]])
    this.#versions.push({ version, written: { accounts: [...changes.accounts.keys()], slots } })
    return version
  }

  /**
   * Returns to `version`: everything newer is undone, and the newer versions are dead from then on.
   * @throws StateUnavailableError where `version` is dead already.
   */
  revert(version: StateVersion): void {
    version.assertAlive()
    while (this.head !== version) {
      const { version: dead, written } = this.#versions.pop()!
      dead.kill()
      for (const address of written.accounts) restoreOlder(this.#accounts, address)
      for (const [id, keys] of written.slots) {
        const history = this.#slots.get(id)!
        for (const key of keys) restoreOlder(history, key)
        if (history.size === 0) this.#slots.delete(id)
      }
    }
  }

  /** Makes `oldest` the oldest version alive and frees what only its ancestors could see. */
  prune(oldest: StateVersion): void {
    oldest.assertAlive()
    while (this.#versions[0]!.version !== oldest) {
      this.#versions.shift()!.version.kill()
      const { version, written } = this.#versions[0]!
      for (const address of written.accounts) forgetOlder(this.#accounts, address, version.position, null)
      for (const [id, keys] of written.slots) {
        const history = this.#slots.get(id)
        if (history === undefined) continue
        for (const key of keys) forgetOlder(history, key, version.position, 0n)
        if (history.size === 0) this.#slots.delete(id)
      }
    }
  }

  /** How many accounts, slots and versions of them are held; what memory grows with. */
  size(): {
    readonly accounts: number
    readonly slots: number
    readonly entries: number
    readonly versions: number
  } {
    let entries = 0
    let slots = 0
    const count = (history: History<string, unknown>) => {
      for (let entry of history.values() as Iterable<Entry<unknown> | undefined>) {
        for (; entry !== undefined; entry = entry.older) entries += 1
      }
    }
    count(this.#accounts as History<string, unknown>)
    for (const history of this.#slots.values()) {
      slots += history.size
      count(history as History<string, unknown>)
    }
    return { accounts: this.#accounts.size, slots, entries, versions: this.#versions.length }
  }

  readonly #read: VersionReads = {
    account: (address, position) => visibleAt(this.#accounts.get(address), position) ?? undefined,
    slot: (storageId, key, position) => visibleAt(this.#slots.get(storageId)?.get(key), position) ?? 0n,
    code: (codeHash) => this.#codes.get(codeHash) ?? NO_CODE,
  }
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

interface Entry<V> {
  readonly position: number
  readonly value: V
  older: Entry<V> | undefined
}

type History<K, V> = Map<K, Entry<V>>

interface WrittenKeys {
  readonly accounts: readonly Address[]
  readonly slots: readonly (readonly [storageId: number, keys: readonly Hex[]])[]
}

const NOTHING_WRITTEN: WrittenKeys = { accounts: [], slots: [] }

function visibleAt<V>(newest: Entry<V> | undefined, position: number): V | undefined {
  let entry = newest
  while (entry !== undefined && entry.position > position) entry = entry.older
  return entry?.value
}

function restoreOlder<K, V>(history: History<K, V>, key: K): void {
  const older = history.get(key)!.older
  if (older === undefined) history.delete(key)
  else history.set(key, older)
}

/** Cuts what lies behind the entry of `position`; an entry that then says no more than its absence goes too. */
function forgetOlder<K, V>(history: History<K, V>, key: K, position: number, absent: V): void {
  let entry = history.get(key)
  let newer: Entry<V> | undefined
  while (entry !== undefined && entry.position > position) {
    newer = entry
    entry = entry.older
  }
  if (entry === undefined) return
  entry.older = undefined
  if (entry.value !== absent) return
  if (newer !== undefined) newer.older = undefined
  else history.delete(key)
}
