import type { Crypto } from '../../base/crypto/crypto.ts'
import type { Address, Hash } from '../../base/types.ts'
import {
  EMPTY_ACCOUNT,
  EMPTY_CODE_HASH,
  isEmptyAccount,
  isStorageEmpty,
  type StateChanges,
  type StateReader,
} from './account.ts'
import { Overlay } from './overlay.ts'

/** The changes to an account; omitted fields stay unchanged. */
export interface AccountPatch {
  readonly balance?: bigint
  readonly nonce?: bigint
  readonly code?: Uint8Array
  /** Replaces the account's whole storage; excludes `stateDiff`. */
  readonly state?: ReadonlyMap<Hash, Hash>
  /** Single slots; the rest stays unchanged. */
  readonly stateDiff?: ReadonlyMap<Hash, Hash>
}

/** The writes of a cheat, or of the first block of a fork, by account. */
export type StatePatch = ReadonlyMap<Address, AccountPatch>

/** Writes a patch to an overlay, and creates the accounts that are absent. */
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

/** The changes that a patch makes to a state. Accounts left empty and without storage are deleted (EIP-161). */
export function patchChanges(state: StateReader, patch: StatePatch, crypto: Crypto): StateChanges {
  const overlay = new Overlay(state)
  applyPatch(overlay, patch, crypto)
  for (const address of patch.keys()) {
    const account = overlay.account(address)
    if (account !== undefined && isEmptyAccount(account) && isStorageEmpty(account)) {
      overlay.deleteAccount(address)
    }
  }
  return overlay.changes()
}

/** The patches of one state, as a linked list: appending copies nothing. */
export interface Patches {
  readonly last: StatePatch
  readonly before: Patches | undefined
}

/** Merges patches, in the order in which they were written, into one with the same effect. */
export function mergePatches(patches: Patches): StatePatch {
  const inOrder: StatePatch[] = []
  for (let at: Patches | undefined = patches; at !== undefined; at = at.before) inOrder.push(at.last)
  const merged = new Map<Address, MergedAccount>()
  for (const patch of inOrder.reverse()) {
    for (const [address, { state, stateDiff, ...fields }] of patch) {
      const { state: whole, stateDiff: single, ...before } = merged.get(address) ?? {}
      const slots = whole ?? single ?? new Map<Hash, Hash>()
      if (state !== undefined) slots.clear()
      for (const [slot, value] of state ?? stateDiff ?? []) slots.set(slot, value)
      const storage = (state ?? whole) === undefined ? { stateDiff: slots } : { state: slots }
      merged.set(address, { ...before, ...fields, ...storage })
    }
  }
  return merged
}

interface MergedAccount extends AccountPatch {
  readonly state?: Map<Hash, Hash>
  readonly stateDiff?: Map<Hash, Hash>
}
