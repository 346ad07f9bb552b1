/** Signatures over secp256r1. Only ever imported lazily, for its size. */
import { p256 } from '@noble/curves/nist.js'
import { concatBytes } from '../../../../base/bytes.ts'

const UNCOMPRESSED = Uint8Array.of(4)
/** The hash is signed as it is; s may be in either half. */
const OPTIONS = { prehash: false, lowS: false, format: 'compact' } as const

/** Whether a signature, r ‖ s, is valid; false if a value is out of range. @param publicKey - x ‖ y. */
export function verify(hash: Uint8Array, signature: Uint8Array, publicKey: Uint8Array): boolean {
  return p256.verify(signature, hash, concatBytes(UNCOMPRESSED, publicKey), OPTIONS)
}
