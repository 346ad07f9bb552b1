/** The source of the state below the first version; by default it is empty. */
import type { Address, Hash, Hex } from '../../base/types.ts'
import { type AccountRecord, NO_CODE, type StateChanges } from './account.ts'

/**
 * The state that the first version of a world state starts from. Its entries never change.
 *
 * All reads are synchronous. A read of an entry that is not loaded throws `Missing`; after its `load` has resolved,
 * the entry can be read for as long as the source is used.
 */
export interface StateSource {
  /** The highest storage id in use; storages that are created later get higher ones. */
  readonly lastStorageId: number
  /** @returns null if there is no such account. @throws Missing if it is not loaded. */
  account(address: Address): AccountRecord | null
  /** @returns 0n if the slot is not set. @throws Missing if it is not loaded. */
  slot(storageId: number, key: Hex): bigint
  /** @throws Missing if it is not loaded. */
  code(codeHash: Hash): Uint8Array
  /** @returns all entries, as changes from an empty state. @throws Missing if they are not loaded. */
  everything(): StateChanges
}

/** The source of a chain whose whole state is in its versions. */
export const EMPTY_SOURCE: StateSource = {
  lastStorageId: 0,
  account: () => null,
  slot: () => 0n,
  code: () => NO_CODE,
  everything: () => ({ accounts: new Map(), slots: new Map(), codes: new Map() }),
}
