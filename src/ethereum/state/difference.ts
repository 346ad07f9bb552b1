/** What differs between two versions of the state, with the values of both. */
import type { Address, Hash, Hex } from '../../base/types.ts'
import type { AccountRecord, StateChanges, StateReader } from './account.ts'
import { eachSlot, type WrittenKeys } from './writtenKeys.ts'

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
