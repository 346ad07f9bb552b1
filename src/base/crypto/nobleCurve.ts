/** secp256k1 and keccak256 in JavaScript, ten times slower. Imported only if the host refuses WebAssembly. */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToBigint } from '../bytes.ts'
import type { Curve } from './secp256k1Wasm.ts'

/** Computes keccak256: 32 bytes in a new array. */
export const nobleKeccak = (bytes: Uint8Array): Uint8Array => keccak_256(bytes)

/** Works on any host, and returns the same results as the curve of `instantiateCurve`. */
export const nobleCurve: Curve = {
  recover(hash, r, s, yParity) {
    try {
      const signature = new secp256k1.Signature(bytesToBigint(r), bytesToBigint(s), yParity)
      return signature.recoverPublicKey(hash).toBytes(false).slice(1)
    } catch {
      return undefined
    }
  },
  sign(hash, privateKey) {
    if (!secp256k1.utils.isValidSecretKey(privateKey)) return undefined
    return secp256k1.sign(hash, privateKey, { prehash: false, format: 'recovered' })
  },
  publicKey(privateKey) {
    if (!secp256k1.utils.isValidSecretKey(privateKey)) return undefined
    return secp256k1.getPublicKey(privateKey, false).slice(1)
  },
}
