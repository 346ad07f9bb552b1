/** The keys written by versions of the state, the difference between two versions, and the accounts of storages. */
import { getOrInsert } from '../../base/collections.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import type { AccountRecord, StateChanges, StateReader } from './account.ts'

interface Difference<Value> {
  readonly before: Value
  readonly after: Value
}

/** The keys written between two versions; some may have the same value in both. */
export interface StateDifference {
  readonly accounts: ReadonlyMap<Address, Difference<AccountRecord | null>>
  /** By storage id. If an account has a storage in only one of the versions, all slots of that storage are listed. */
  readonly slots: ReadonlyMap<number, ReadonlyMap<Hex, Difference<bigint>>>
  /** Codes that the older version does not have. */
  readonly codes: ReadonlyMap<Hash, Uint8Array>
  /** The highest storage id assigned up to the newer version. */
  readonly lastStorageId: number
}

/**
 * Compares two versions.
 *
 * @param written - the keys written by each version after the older one, up to and including the newer.
 * @param slotsOf - lists all slots of a storage in a version.
 */
export function compareStates<Version extends StateReader>(
  written: readonly WrittenKeys[],
  before: Version,
  after: Version,
  slotsOf: (storageId: number, version: Version) => Iterable<readonly [Hex, bigint]>,
): StateDifference {
  const accounts = new Map<Address, Difference<AccountRecord | null>>()
  const slots = new Map<number, Map<Hex, Difference<bigint>>>()
  const codes = new Map<Hash, Uint8Array>()
  /** Storages that an account has only in the version `after`, or only in `before`. */
  const attached = new Set<number>()
  const detached = new Set<number>()
  for (const keys of written) {
    for (const address of keys.accounts) {
      if (accounts.has(address)) continue
      const values = { before: before.account(address) ?? null, after: after.account(address) ?? null }
      accounts.set(address, values)
      const [from, to] = [values.before?.storageId ?? 0, values.after?.storageId ?? 0]
      if (from === to) continue
      if (from !== 0) detached.add(from)
      if (to !== 0) attached.add(to)
    }
    for (const hash of keys.codes) codes.set(hash, after.code(hash))
  }
  const setSlot = (id: number, key: Hex): void => {
    getOrInsert(slots, id, createSlots).set(key, {
      before: attached.has(id) ? 0n : before.slot(id, key),
      after: detached.has(id) ? 0n : after.slot(id, key),
    })
  }
  for (const keys of written) eachSlot(keys.slots, setSlot)
  for (const id of detached) for (const [key] of slotsOf(id, before)) setSlot(id, key)
  for (const id of attached) for (const [key] of slotsOf(id, after)) setSlot(id, key)
  return { accounts, slots, codes, lastStorageId: Math.max(before.lastStorageId, after.lastStorageId) }
}

const createSlots = () => new Map<Hex, Difference<bigint>>()

/** Returns the changes that turn the version `before` into `after`. */
export function toChanges({ accounts, slots, codes, lastStorageId }: StateDifference): StateChanges {
  return {
    accounts: afterOf(accounts),
    slots: new Map([...slots].map(([id, values]) => [id, afterOf(values)])),
    codes,
    lastStorageId,
  }
}

function afterOf<Key, Value>(values: ReadonlyMap<Key, Difference<Value>>): Map<Key, Value> {
  return new Map([...values].map(([key, { after }]) => [key, after]))
}

// The keys written by a version, in short lists that live as long as the version.

/** The keys whose values a version has changed. */
export interface WrittenKeys {
  readonly accounts: readonly Address[]
  readonly slots: WrittenSlots
  /** Codes that no earlier version had. */
  readonly codes: readonly Hash[]
}

/** Storage ids, each followed by the keys written there. */
export type WrittenSlots = readonly (number | Hex)[]

const NONE: readonly never[] = []

/** The keys of a version that is equal to the one before. */
export const NOTHING_WRITTEN: WrittenKeys = { accounts: NONE, slots: NONE, codes: NONE }

/** Copies the lists without spare capacity. */
export function trimmed({ accounts, slots, codes }: WrittenKeys): WrittenKeys {
  return { accounts: trim(accounts), slots: trim(slots), codes: trim(codes) }
}

function trim<Item>(list: readonly Item[]): readonly Item[] {
  return list.length === 0 ? NONE : list.slice()
}

/** Calls `visit` for each written slot. */
export function eachSlot(slots: WrittenSlots, visit: (storageId: number, key: Hex) => void): void {
  let id = 0
  for (const item of slots) {
    if (typeof item === 'number') id = item
    else visit(id, item)
  }
}

// The owners of storages. A slot is stored by storage id, without an address; a storage never changes its account.

/** The address of each storage, by its id. */
export type StorageOwners = ReadonlyMap<number, Address>

/** The owners of the storages of these records; null is an absent account. */
export function ownersOf(records: Iterable<readonly [Address, AccountRecord | null]>): StorageOwners {
  const owners = new Map<number, Address>()
  for (const [address, record] of records) {
    if (record !== null && record.storageId !== 0) owners.set(record.storageId, address)
  }
  return owners
}

/**
 * Returns the changes with the account of each written storage, read from `state`. Differences need this: they have an
 * account only if its record changed, and a slot can change without the record.
 */
export function withOwners(
  changes: StateChanges,
  owners: StorageOwners,
  state: Pick<StateReader, 'account'>,
): StateChanges {
  const accounts = new Map(changes.accounts)
  for (const id of changes.slots.keys()) {
    const owner = owners.get(id)
    if (owner !== undefined && !accounts.has(owner)) accounts.set(owner, state.account(owner) ?? null)
  }
  return { ...changes, accounts }
}
