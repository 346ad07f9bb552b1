/** Hash functions in JavaScript; only ever imported lazily, for their size. */
import * as legacy from '@noble/hashes/legacy.js'
import * as sha2 from '@noble/hashes/sha2.js'

export const sha256 = (bytes: Uint8Array): Uint8Array => sha2.sha256(bytes)

export const ripemd160 = (bytes: Uint8Array): Uint8Array => legacy.ripemd160(bytes)
