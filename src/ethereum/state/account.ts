/** The account record, and the interfaces for reading state: of versions, layers and overlays, and of the source below them. */

import { MAX_UINT256 } from '../../base/bytes.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'

/** keccak256 of no bytes: the code hash of an account without code. */
export const EMPTY_CODE_HASH: Hash = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'

/** The code of an account without code. */
export const NO_CODE = new Uint8Array(0)

/**
 * One account. Slots are kept under `storageId`, not under the address: a cleared or re-created account gets a fresh
 * id, so that SELFDESTRUCT needs no loop over slots and old slots never come back. Id 0: the storage is empty.
 *
 * An id is unique within a state and the states derived from it, and is never part of a hash. The last one
 * assigned is part of the state, so that ids stay valid if a state is stored and read again.
 *
 * An id below 0 is a storage of a forked chain: its slots are read from there until they are written here, and their
 * number is not known.
 */
export interface AccountRecord {
  readonly nonce: bigint
  /** In wei. */
  readonly balance: bigint
  readonly codeHash: Hash
  readonly storageId: number
  /** The number of slots with a value other than zero; of a forked storage 1 once one was written, until then 0. */
  readonly slotCount: number
}

/** An account that exists and holds nothing; absent and empty differ (EIP-161). */
export const EMPTY_ACCOUNT: AccountRecord = Object.freeze({
  nonce: 0n,
  balance: 0n,
  codeHash: EMPTY_CODE_HASH,
  storageId: 0,
  slotCount: 0,
})

/** The most wei an account can hold. */
export const MAX_BALANCE = MAX_UINT256

/**
 * State at one point: a sealed version, a frozen layer over one, or an overlay over either. All reads are synchronous,
 * and throw `Missing` for an entry that the state's source has not loaded.
 */
export interface StateReader {
  /** The highest storage id assigned so far; a new storage gets the next. */
  readonly lastStorageId: number
  /** @returns the account, or undefined if there is none. */
  account(address: Address): AccountRecord | undefined
  /** @returns the value under `key` (32 bytes) of a storage, 0n if nothing was written. */
  slot(storageId: number, key: Hex): bigint
  /** @returns the code with this hash, empty for {@link EMPTY_CODE_HASH}. */
  code(codeHash: Hash): Uint8Array
}

/** The state without any account. */
export const EMPTY_STATE: StateReader = {
  lastStorageId: 0,
  account: () => undefined,
  slot: () => 0n,
  code: () => NO_CODE,
}

/**
 * What changed between two states. A null account was deleted; a slot of 0n was cleared. The account of a storage that was
 * written to is among `accounts`, also if its record is as before (`withOwners` adds it).
 */
export interface StateChanges {
  readonly accounts: ReadonlyMap<Address, AccountRecord | null>
  readonly slots: ReadonlyMap<number, ReadonlyMap<Hex, bigint>>
  readonly codes: ReadonlyMap<Hash, Uint8Array>
  /** The highest storage id assigned; absent if none was. */
  readonly lastStorageId?: number | undefined
}

/** Whether the account is empty by EIP-161: no nonce, no balance, no code. */
export function isEmptyAccount(account: AccountRecord): boolean {
  return account.nonce === 0n && account.balance === 0n && account.codeHash === EMPTY_CODE_HASH
}

/** Whether all slots of the account are known to be zero; those of a forked storage are not known. */
export function isStorageEmpty({ storageId, slotCount }: AccountRecord): boolean {
  return slotCount === 0 && storageId >= 0
}

/** Whether two accounts have the same record; null is an account that is absent. */
export function isSameAccount(a: AccountRecord | null, b: AccountRecord | null): boolean {
  if (a === null || b === null || a === b) return a === b
  return (
    a.nonce === b.nonce &&
    a.balance === b.balance &&
    a.codeHash === b.codeHash &&
    a.storageId === b.storageId &&
    a.slotCount === b.slotCount
  )
}

/** The value of a slot of an account that may be absent. */
export function readSlot(state: StateReader, address: Address, key: Hex): bigint {
  const account = state.account(address)
  return account === undefined || account.storageId === 0 ? 0n : state.slot(account.storageId, key)
}

/** The code of an account that may be absent. */
export function readCode(state: StateReader, address: Address): Uint8Array {
  const account = state.account(address)
  return account === undefined || account.codeHash === EMPTY_CODE_HASH
    ? NO_CODE
    : state.code(account.codeHash)
}

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
