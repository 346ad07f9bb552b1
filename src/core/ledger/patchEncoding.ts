/**
 * The stored form of state patches: JSON, since they are few and read once. A list of accounts, or, since there is a root of
 * the state after it, an object with both.
 */

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

type StoredAccounts = readonly (readonly [Address, StoredAccount])[]

interface StoredPatch {
  readonly accounts: StoredAccounts
  readonly root?: Hash
}

/** Encodes a patch. @param root - of the state after it, if that is known. */
export function encodePatch(patch: StatePatch, root?: Hash): Uint8Array {
  const accounts = [...patch].map(([address, { balance, nonce, code, state, stateDiff }]) => {
    const account: StoredAccount = {
      ...(balance !== undefined && { balance: quantity(balance) }),
      ...(nonce !== undefined && { nonce: quantity(nonce) }),
      ...(code !== undefined && { code: bytesToHex(code) }),
      ...(state !== undefined && { state: [...state] }),
      ...(stateDiff !== undefined && { stateDiff: [...stateDiff] }),
    }
    return [address, account] as const
  })
  return new TextEncoder().encode(JSON.stringify(root === undefined ? accounts : { accounts, root }))
}

/** Decodes what {@link encodePatch} returned. */
export function decodePatch(bytes: Uint8Array): StatePatch {
  const { accounts } = parse(bytes)
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

/** The root of the state after a patch; undefined if {@link encodePatch} got none. */
export function decodePatchedRoot(bytes: Uint8Array): Hash | undefined {
  return parse(bytes).root
}

function parse(bytes: Uint8Array): StoredPatch {
  const stored: StoredAccounts | StoredPatch = JSON.parse(new TextDecoder().decode(bytes))
  return 'accounts' in stored ? stored : { accounts: stored }
}

/** How the values that a chain keeps in its database are encoded: JSON, in which bigints are texts that end in `n`. */

/** Encodes a value of objects, arrays, texts, numbers, booleans and bigints; fields that are undefined are left out. */
export function encodeValue(value: unknown): Uint8Array {
  const text = JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one))
  return new TextEncoder().encode(text)
}

/** Reads an encoded value. */
export function decodeValue<Value>(bytes: Uint8Array): Value {
  const isBigint = (one: unknown): one is string => typeof one === 'string' && /^\d+n$/.test(one)
  return JSON.parse(new TextDecoder().decode(bytes), (_, one) =>
    isBigint(one) ? BigInt(one.slice(0, -1)) : one,
  )
}
