import { bigintToBytes, bytesToHex, hexToBytes } from '../base/bytes.ts'
import { keccak256 } from '../base/crypto/crypto.ts'
import { encodeRlp } from '../base/rlp.ts'
import type { Address } from '../base/types.ts'

/** The address of the contract that an account creates with this nonce (Yellow Paper, section 7). */
export function createdAddress(creator: Address, nonce: bigint): Address {
  const hash = keccak256(encodeRlp([hexToBytes(creator), bigintToBytes(nonce)]))
  return bytesToHex(hash.subarray(12))
}
