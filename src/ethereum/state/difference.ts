/** What versions of the state have written, what differs between two of them, and which account each storage belongs to. */

import type { Address, Hash, Hex } from '../../base/types.ts'
import type { AccountRecord, StateChanges, StateReader } from './account.ts'

/** The values of a key in two versions. */
export interface Difference<Value> {
  readonly before: Value
  readonly after: Value
}

/** The keys that were written between two versions; some may have the same value in both. */
export interface StateDifference {
  /** Null where there is no account. */
  readonly accounts: ReadonlyMap<Address, Difference<AccountRecord | null>>
  /** By storage id. A storage that an account no longer has, or has again, is here with all its slots. */
  readonly slots: ReadonlyMap<number, ReadonlyMap<Hex, Difference<bigint>>>
  /** Codes that no version before both had. */
  readonly codes: ReadonlyMap<Hash, Uint8Array>
  /** The highest storage id assigned up to the later version. */
  readonly lastStorageId: number
}

/**
 * Compares two versions.
 *
 * @param written - what the versions between them wrote, the newer one's included.
 * @param slotsOf - all slots of a storage in a version.
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
  /** Storages that an account has in one of the versions only. */
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
    let values = slots.get(id)
    if (values === undefined) {
      values = new Map()
      slots.set(id, values)
    }
    values.set(key, {
      before: attached.has(id) ? 0n : before.slot(id, key),
      after: detached.has(id) ? 0n : after.slot(id, key),
    })
  }
  for (const keys of written) eachSlot(keys.slots, setSlot)
  for (const id of detached) for (const [key] of slotsOf(id, before)) setSlot(id, key)
  for (const id of attached) for (const [key] of slotsOf(id, after)) setSlot(id, key)
  return { accounts, slots, codes, lastStorageId: Math.max(before.lastStorageId, after.lastStorageId) }
}

/** The later state as changes to the earlier one. */
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

// The keys that a version has written, in lists that are short, since they live as long as their version.

/** What a version has written. */
export interface WrittenKeys {
  readonly accounts: readonly Address[]
  readonly slots: WrittenSlots
  /** Codes that no earlier version had. */
  readonly codes: readonly Hash[]
}

/** The id of each storage, and after it the keys written there. */
export type WrittenSlots = readonly (number | Hex)[]

const NONE: readonly never[] = []

/** Of a version without any. */
export const NOTHING_WRITTEN: WrittenKeys = { accounts: NONE, slots: NONE, codes: NONE }

/** The same keys in lists without room for more. */
export function trimmed({ accounts, slots, codes }: WrittenKeys): WrittenKeys {
  return { accounts: trim(accounts), slots: trim(slots), codes: trim(codes) }
}

function trim<Item>(list: readonly Item[]): readonly Item[] {
  return list.length === 0 ? NONE : list.slice()
}

/** Calls `visit` for each slot, in order. */
export function eachSlot(slots: WrittenSlots, visit: (storageId: number, key: Hex) => void): void {
  let id = 0
  for (const item of slots) {
    if (typeof item === 'number') id = item
    else visit(id, item)
  }
}

// The account of a storage: entries of storages name none, and a storage never changes hands.

/** The account of each storage, by its id. */
export type StorageOwners = ReadonlyMap<number, Address>

/** The owners that records of accounts tell; null is an account that is absent. */
export function ownersOf(records: Iterable<readonly [Address, AccountRecord | null]>): StorageOwners {
  const owners = new Map<number, Address>()
  for (const [address, record] of records) {
    if (record !== null && record.storageId !== 0) owners.set(record.storageId, address)
  }
  return owners
}

/**
 * Changes that also have the account of each storage that they write to. What an execution changes always has it; changes
 * that are read from differences have it only if its record differs, which another value of a slot does not make it do.
 *
 * @param state - has the records of the accounts that are added.
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
