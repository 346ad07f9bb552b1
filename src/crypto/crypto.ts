/**
 * keccak256 and secp256k1 behind one small interface: in WebAssembly, or in JavaScript with one warning if the host
 * refuses WebAssembly (CSP).
 *
 * Owns: one instance of each per process, shared by all chains. Does not own keys.
 */
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { createKeccak } from 'hash-wasm'
import { bigintToBytes32, bytesToBigint, bytesToHex } from '../primitives/bytes.ts'
import type { Address, Hash } from '../primitives/types.ts'
import { InvalidHashError, InvalidPrivateKeyError, InvalidSenderError } from './errors.ts'
import type { Curve } from './secp256k1Wasm.ts'

/** A signature over secp256k1 as transactions and authorisations carry it. */
export interface Signature {
  readonly r: bigint
  readonly s: bigint
  readonly yParity: 0 | 1
}

/** Hashing, signing and sender recovery; every call is synchronous. */
export interface Crypto {
  /** The 32 bytes of keccak256, in an `ArrayBuffer` of their own: libraries read them from its start. */
  keccak256(bytes: Uint8Array): Uint8Array
  /** keccak256 as a hex string. */
  keccak256Hex(bytes: Uint8Array): Hash
  /**
   * The signer's uncompressed public key: 64 bytes, without the 0x04 prefix.
   *
   * @throws InvalidSenderError if r or s is out of range, s lies in the upper half (EIP-2), yParity is neither 0
   * nor 1, or no key can be recovered.
   * @throws InvalidHashError unless the hash has 32 bytes.
   */
  recover(hash: Uint8Array, r: bigint, s: bigint, yParity: number): Uint8Array
  /**
   * Signs deterministically (RFC 6979) with s in the lower half (EIP-2).
   *
   * @throws InvalidPrivateKeyError unless the key has 32 bytes and is from 1 to the curve's order - 1.
   * @throws InvalidHashError unless the hash has 32 bytes.
   */
  sign(hash: Uint8Array, privateKey: Uint8Array): Signature
  /**
   * The uncompressed public key: 64 bytes, without the 0x04 prefix.
   *
   * @throws InvalidPrivateKeyError unless the key has 32 bytes and is from 1 to the curve's order - 1.
   */
  publicKey(privateKey: Uint8Array): Uint8Array
  /** The address of a 64-byte public key: the last 20 bytes of its keccak256. */
  addressOf(publicKey: Uint8Array): Address
  /** Recovery and signing on bytes, for the EVM's precompile and for libraries. */
  readonly raw: RawCurve
}

/** secp256k1 on bytes; s may lie in either half, which the precompile must accept. */
export interface RawCurve {
  /** The public key, 64 bytes. @throws InvalidSenderError, InvalidHashError */
  recover(hash: Uint8Array, r: Uint8Array, s: Uint8Array, yParity: number): Uint8Array
  /** yParity ‖ r ‖ s, deterministic (RFC 6979). @throws InvalidPrivateKeyError, InvalidHashError */
  sign(hash: Uint8Array, privateKey: Uint8Array): Uint8Array<ArrayBuffer>
}

/** secp256k1 in JavaScript: ten times slower, but available at once and on every host. */
const nobleCurve: Curve = {
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

/** The order of secp256k1, above every r and s. */
export const CURVE_ORDER = secp256k1.Point.Fn.ORDER
/** The highest s in signatures of transactions since Homestead (EIP-2). */
export const HALF_CURVE_ORDER = CURVE_ORDER / 2n

let curve = nobleCurve
let keccak: Keccak = (bytes) => keccak_256(bytes)
let shared: Promise<Crypto> | undefined
let wasmCurve: Promise<void> | undefined
let refused = false

/** The process's `Crypto`, with keccak256 ready. Never rejects; the same object every time. */
export function loadCrypto(): Promise<Crypto> {
  shared ??= loadKeccak().then(createCrypto)
  return shared
}

/** keccak256 by the fastest implementation that is loaded; see {@link loadCrypto}. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak(bytes)
}

/**
 * Loads secp256k1 in WebAssembly; until this resolves, and if it fails, JavaScript gives the same results. Never
 * rejects; loads only once.
 */
export function loadSecp256k1(): Promise<void> {
  wasmCurve ??= loadCurve()
  return wasmCurve
}

async function loadCurve(): Promise<void> {
  // A host that refused keccak256 would refuse this too, and this chunk is the package's largest.
  if (refused) return
  try {
    const { instantiateCurve } = await import('./secp256k1Wasm.ts')
    curve = await instantiateCurve()
  } catch (reason) {
    fallBackToJavaScript(reason)
  }
}

/** Prints the reason once; JavaScript is only slower. */
function fallBackToJavaScript(reason: unknown): void {
  if (refused) return
  refused = true
  // biome-ignore lint/suspicious/noConsole: no chain exists yet to emit an event.
  console.warn(
    'preseal: WebAssembly cannot be loaded, so hashes and signatures are computed in JavaScript, which is slower. ' +
      "A Content-Security-Policy allows WebAssembly by 'wasm-unsafe-eval' in script-src. The reason:",
    reason,
  )
}

type Keccak = Crypto['keccak256']

async function loadKeccak(): Promise<Keccak> {
  try {
    const hasher = await createKeccak(256)
    keccak = (bytes) => hasher.init().update(bytes).digest('binary')
  } catch (reason) {
    fallBackToJavaScript(reason)
  }
  return keccak
}

function createCrypto(keccak256: Keccak): Crypto {
  return {
    keccak256,
    keccak256Hex: (bytes) => bytesToHex(keccak256(bytes)),
    recover(hash, r, s, yParity) {
      if (r <= 0n || s <= 0n || s > HALF_CURVE_ORDER) throw new InvalidSenderError()
      // An r beyond 32 bytes would be truncated, and then recover another signer.
      if (r >= CURVE_ORDER) throw new InvalidSenderError()
      return recover(hash, bigintToBytes32(r), bigintToBytes32(s), yParity)
    },
    sign(hash, privateKey) {
      const signature = sign(hash, privateKey)
      return {
        r: bytesToBigint(signature.subarray(1, 33)),
        s: bytesToBigint(signature.subarray(33)),
        yParity: signature[0] === 0 ? 0 : 1,
      }
    },
    publicKey(privateKey) {
      const key = privateKey.length === 32 ? curve.publicKey(privateKey) : undefined
      if (key === undefined) throw new InvalidPrivateKeyError()
      return key
    },
    addressOf: (publicKey) => bytesToHex(keccak256(publicKey).subarray(12)),
    raw: { recover, sign },
  }
}

/** `s` may lie in either half. @throws InvalidSenderError if no key can be recovered. */
function recover(hash: Uint8Array, r: Uint8Array, s: Uint8Array, yParity: number): Uint8Array {
  if (hash.length !== 32) throw new InvalidHashError()
  const wellFormed = (yParity === 0 || yParity === 1) && r.length === 32 && s.length === 32
  const publicKey = wellFormed ? curve.recover(hash, r, s, yParity) : undefined
  if (publicKey === undefined) throw new InvalidSenderError()
  return publicKey
}

/** yParity ‖ r ‖ s, 65 bytes. */
function sign(hash: Uint8Array, privateKey: Uint8Array): Uint8Array<ArrayBuffer> {
  if (hash.length !== 32) throw new InvalidHashError()
  const signature = privateKey.length === 32 ? curve.sign(hash, privateKey) : undefined
  if (signature === undefined) throw new InvalidPrivateKeyError()
  return signature
}
