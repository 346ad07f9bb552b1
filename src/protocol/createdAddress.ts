import { keccak256 } from '../crypto/crypto.ts'
import { bigintToBytes, bytesToHex, hexToBytes } from '../primitives/bytes.ts'
import { encodeRlp } from '../primitives/rlp.ts'
import type { Address } from '../primitives/types.ts'

/** The address of the contract that this account creates with this nonce (Yellow Paper, section 7). */
export function createdAddress(creator: Address, nonce: bigint): Address {
  const hash = keccak256(encodeRlp([hexToBytes(creator), bigintToBytes(nonce)]))
  return bytesToHex(hash.subarray(12))
}
