/** Changes of a state that no transaction made. */
import type { Crypto } from '../crypto.ts'
import type { Address, Hash } from '../types.ts'
import {
  EMPTY_ACCOUNT,
  EMPTY_CODE_HASH,
  isEmptyAccount,
  type StateChanges,
  type StateReader,
} from './account.ts'
import { Overlay } from './overlay.ts'

/** What becomes of one account; what is left out stays. */
export interface AccountPatch {
  /** In wei. */
  readonly balance?: bigint
  readonly nonce?: bigint
  readonly code?: Uint8Array
  /** The account's whole storage; not beside `stateDiff`. */
  readonly state?: ReadonlyMap<Hash, Hash>
  /** Single slots. */
  readonly stateDiff?: ReadonlyMap<Hash, Hash>
}

/** What becomes of accounts, by address. */
export type StatePatch = ReadonlyMap<Address, AccountPatch>

/** Writes a patch. */
export function applyPatch(overlay: Overlay, patch: StatePatch, crypto: Crypto): void {
  for (const [address, { balance, nonce, code, state, stateDiff }] of patch) {
    if (balance !== undefined || nonce !== undefined) {
      const account = overlay.account(address) ?? EMPTY_ACCOUNT
      overlay.setAccount(address, {
        nonce: nonce ?? account.nonce,
        balance: balance ?? account.balance,
        codeHash: account.codeHash,
      })
    }
    if (code !== undefined) {
      overlay.setCode(address, code.length === 0 ? EMPTY_CODE_HASH : crypto.keccak256Hex(code), code)
    }
    if (state !== undefined) overlay.clearStorage(address)
    for (const [key, value] of state ?? stateDiff ?? []) overlay.setSlot(address, key, BigInt(value))
  }
}

/** What a patch changes of a state; accounts that it leaves with nothing are gone, as no block since EIP-161 holds such. */
export function patchChanges(state: StateReader, patch: StatePatch, crypto: Crypto): StateChanges {
  const overlay = new Overlay(state)
  applyPatch(overlay, patch, crypto)
  for (const address of patch.keys()) {
    const account = overlay.account(address)
    if (account !== undefined && isEmptyAccount(account) && account.slotCount === 0) {
      overlay.deleteAccount(address)
    }
  }
  return overlay.changes()
}

/** One patch after another, as one. */
export function mergePatches(first: StatePatch | undefined, second: StatePatch): StatePatch {
  const merged = new Map(first)
  for (const [address, { state, stateDiff, ...fields }] of second) {
    const { state: whole, stateDiff: slots, ...before } = merged.get(address) ?? {}
    const storage =
      state !== undefined
        ? { state }
        : whole !== undefined
          ? { state: new Map([...whole, ...(stateDiff ?? [])]) }
          : { stateDiff: new Map([...(slots ?? []), ...(stateDiff ?? [])]) }
    merged.set(address, { ...before, ...fields, ...storage })
  }
  return merged
}
