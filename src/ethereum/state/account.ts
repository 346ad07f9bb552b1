/** The account record, and the interfaces for reading state: versions, layers, overlays, and the source below them. */
import { MAX_UINT256 } from '../../base/bytes.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'

/** keccak256 of no bytes: the code hash of an account without code. */
export const EMPTY_CODE_HASH: Hash = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'

/** The code with the hash {@link EMPTY_CODE_HASH}: one array for all accounts. */
export const NO_CODE = new Uint8Array(0)

/**
 * An account. Its slots are stored under `storageId`, not under the address: a cleared or re-created account gets a
 * fresh id, so SELFDESTRUCT loops over no slots and old slots never come back. Id 0 means that the storage is empty.
 *
 * An id is unique within a state and the states derived from it, and never part of a hash. The highest id is part of
 * the state, so that ids stay valid when a state is stored and read again.
 *
 * A negative id marks the storage of an account on a forked chain. A slot is read from that chain until it is written
 * here, and the number of slots is unknown.
 */
export interface AccountRecord {
  readonly nonce: bigint
  readonly balance: bigint
  readonly codeHash: Hash
  readonly storageId: number
  /** The number of nonzero slots. For a forked storage: 0, or 1 once a nonzero value was written. */
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

/** The maximum balance in wei; cheats and lent funds stop there. */
export const MAX_BALANCE = MAX_UINT256

/**
 * A state: a sealed version, a frozen layer over one, or an overlay over either. Reads throw `Missing` for entries that
 * the state's source has not loaded.
 */
export interface StateReader {
  /** The highest storage id assigned so far; a new storage gets the next one. */
  readonly lastStorageId: number
  /** The account; undefined if there is none. */
  account(address: Address): AccountRecord | undefined
  /** The value of a 32-byte key in a storage; 0n if it is unset. */
  slot(storageId: number, key: Hex): bigint
  /** The code with this hash; empty for {@link EMPTY_CODE_HASH}. */
  code(codeHash: Hash): Uint8Array
}

/** The state without an account, before genesis. */
export const EMPTY_STATE: StateReader = {
  lastStorageId: 0,
  account: () => undefined,
  slot: () => 0n,
  code: () => NO_CODE,
}

/**
 * The changes between two states. A null account was deleted; a slot of 0n was cleared. `accounts` has the account of
 * every written storage, even if its record is unchanged (`withOwners` adds it).
 */
export interface StateChanges {
  readonly accounts: ReadonlyMap<Address, AccountRecord | null>
  readonly slots: ReadonlyMap<number, ReadonlyMap<Hex, bigint>>
  readonly codes: ReadonlyMap<Hash, Uint8Array>
  /** The highest storage id assigned; absent if none was. */
  readonly lastStorageId?: number | undefined
}

/** Returns the number of changed accounts and slots, a measure of the work that changes make. */
export function countChanges({ accounts, slots }: StateChanges): number {
  let count = accounts.size
  for (const entries of slots.values()) count += entries.size
  return count
}

/** Whether the account is empty (EIP-161): no nonce, no balance, no code. */
export function isEmptyAccount(account: AccountRecord): boolean {
  return account.nonce === 0n && account.balance === 0n && account.codeHash === EMPTY_CODE_HASH
}

/** Whether all slots of the account are known to be zero; the slots of a forked storage are unknown. */
export function isStorageEmpty({ storageId, slotCount }: AccountRecord): boolean {
  return slotCount === 0 && storageId >= 0
}

/** Compares all fields of two accounts; null is an absent one. */
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

/** Reads a slot of an address; 0n if it is unset or there is no account. @throws Missing if it is not loaded */
export function readSlot(state: StateReader, address: Address, key: Hex): bigint {
  const account = state.account(address)
  return account === undefined || account.storageId === 0 ? 0n : state.slot(account.storageId, key)
}

/** Reads the code of an address; empty if there is none. @throws Missing if it is not loaded */
export function readCode(state: StateReader, address: Address): Uint8Array {
  const account = state.account(address)
  return account === undefined || account.codeHash === EMPTY_CODE_HASH
    ? NO_CODE
    : state.code(account.codeHash)
}

/**
 * The immutable state below the first version of a world state. A read throws `Missing` for an entry that is not
 * loaded; after its `load` resolves, the entry stays readable.
 */
export interface StateSource extends Pick<StateReader, 'lastStorageId' | 'slot' | 'code'> {
  /** The account; null if there is none. */
  account(address: Address): AccountRecord | null
  /** All entries, as changes to an empty state. */
  everything(): StateChanges
}

/** The source of a chain whose whole state is in its versions. */
export const EMPTY_SOURCE: StateSource = {
  ...EMPTY_STATE,
  account: () => null,
  everything: () => ({ accounts: new Map(), slots: new Map(), codes: new Map() }),
}
