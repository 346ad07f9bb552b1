/** The stored form of state patches: JSON, since they are few and read once. */
import { bytesToHex, hexToBytes, quantity } from '../primitives/bytes.ts'
import type { Address, Hash, Hex } from '../primitives/types.ts'
import type { AccountPatch, StatePatch } from '../state/patch.ts'

interface StoredAccount {
  readonly balance?: Hex
  readonly nonce?: Hex
  readonly code?: Hex
  readonly state?: readonly (readonly [Hash, Hash])[]
  readonly stateDiff?: readonly (readonly [Hash, Hash])[]
}

/** Encodes a patch. */
export function encodePatch(patch: StatePatch): Uint8Array {
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
  return new TextEncoder().encode(JSON.stringify(accounts))
}

/** Decodes what {@link encodePatch} returned. */
export function decodePatch(bytes: Uint8Array): StatePatch {
  const accounts: [Address, StoredAccount][] = JSON.parse(new TextDecoder().decode(bytes))
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
