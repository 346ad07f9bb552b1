/** Which account each storage belongs to. Entries of storages name none, and a storage changes hands never. */
import type { Address } from '../../base/types.ts'
import type { AccountRecord, StateChanges, StateReader } from './account.ts'

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
