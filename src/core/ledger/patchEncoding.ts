/** Encodes named values and state patches as JSON, since they are small and rarely read. */

import { bytesToHex, hexToBytes, quantity } from '../../base/bytes.ts'
import type { Address, Hash, Hex } from '../../base/types.ts'
import type { AccountPatch, StatePatch } from '../../ethereum/state/patch.ts'

interface StoredAccount {
  readonly balance?: Hex
  readonly nonce?: Hex
  readonly code?: Hex
  readonly state?: readonly (readonly [Hash, Hash])[]
  readonly stateDiff?: readonly (readonly [Hash, Hash])[]
}

/** A patch as JSON. */
export type StoredAccounts = readonly (readonly [Address, StoredAccount])[]

/** A patch, with the root of the patched state. */
export interface PatchWithRoot {
  readonly patch: StatePatch
  readonly root: Hash
}

/** Converts a patch to JSON. */
export function patchToJson(patch: StatePatch): StoredAccounts {
  return [...patch].map(([address, { balance, nonce, code, state, stateDiff }]) => [
    address,
    {
      ...(balance !== undefined && { balance: quantity(balance) }),
      ...(nonce !== undefined && { nonce: quantity(nonce) }),
      ...(code !== undefined && { code: bytesToHex(code) }),
      ...(state !== undefined && { state: [...state] }),
      ...(stateDiff !== undefined && { stateDiff: [...stateDiff] }),
    },
  ])
}

/** Parses the result of {@link patchToJson}. */
export function patchFromJson(accounts: StoredAccounts): StatePatch {
  return new Map(
    accounts.map(([address, { balance, nonce, code, state, stateDiff }]): [Address, AccountPatch] => [
      address,
      {
        ...(balance !== undefined && { balance: BigInt(balance) }),
        ...(nonce !== undefined && { nonce: BigInt(nonce) }),
        ...(code !== undefined && { code: hexToBytes(code) }),
        ...(state !== undefined && { state: new Map(state) }),
        ...(stateDiff !== undefined && { stateDiff: new Map(stateDiff) }),
      },
    ]),
  )
}

/** Encodes a patch with its root. */
export function encodePatch({ patch, root }: PatchWithRoot): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({ accounts: patchToJson(patch), root }))
}

/** Decodes the result of {@link encodePatch}. */
export function decodePatch(bytes: Uint8Array): PatchWithRoot {
  const { accounts, root } = JSON.parse(new TextDecoder().decode(bytes))
  return { patch: patchFromJson(accounts), root }
}

/** Converts a value to JSON text. Writes bigints as strings that end in `n`, and omits undefined fields. */
export function valueToText(value: unknown): string {
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one))
}

/** Parses the result of {@link valueToText}. */
export function valueFromText<Value>(text: string): Value {
  const isBigint = (one: unknown): one is string => typeof one === 'string' && /^\d+n$/.test(one)
  return JSON.parse(text, (_, one) => (isBigint(one) ? BigInt(one.slice(0, -1)) : one))
}
