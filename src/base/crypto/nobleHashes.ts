/** Hash functions in JavaScript; only ever imported lazily, for their size. */
import * as legacy from '@noble/hashes/legacy.js'
import * as sha2 from '@noble/hashes/sha2.js'

/** Computes SHA-256 (FIPS 180-4): 32 bytes. */
export const sha256 = (bytes: Uint8Array): Uint8Array => sha2.sha256(bytes)

/** Computes RIPEMD-160: 20 bytes, which the precompile pads to a word. */
export const ripemd160 = (bytes: Uint8Array): Uint8Array => legacy.ripemd160(bytes)
