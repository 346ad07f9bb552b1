/**
 * keccak256 and secp256k1 behind one small interface: in WebAssembly, or in JavaScript with one warning if the host
 * refuses WebAssembly (CSP).
 *
 * Owns: one instance of each per process, shared by all chains. Does not own keys.
 */

import { type Exports, hex } from '@preseal/keccak256'
import { bigintToBytes32, bytesToBigint, bytesToHex, knownHexToBytes } from '../bytes.ts'
import type { Address, Hash } from '../types.ts'
import { InvalidHashError, InvalidPrivateKeyError, InvalidSenderError } from './errors.ts'
import { instantiate } from './instantiate.ts'
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

/** The order of secp256k1, above every r and s. */
export const CURVE_ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n
/** The highest s in signatures of transactions since Homestead (EIP-2). */
export const HALF_CURVE_ORDER = CURVE_ORDER / 2n

type Keccak = Crypto['keccak256']

let keccak: Keccak | undefined
let shared: Promise<Crypto> | undefined

/**
 * The process's `Crypto`; the same object every time.
 *
 * Rejects only if a file of the package cannot be loaded; the next call tries again.
 */
export function loadCrypto(): Promise<Crypto> {
  shared ??= load().catch((reason) => {
    shared = undefined
    throw reason
  })
  return shared
}

/** keccak256 by the implementation that {@link loadCrypto} has loaded, which is called before. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak!(bytes)
}

async function load(): Promise<Crypto> {
  try {
    // The hash is compiled while the file with the curve is loaded.
    const [hash, { instantiateCurve }] = await Promise.all([
      instantiateKeccak(),
      import('./secp256k1Wasm.ts'),
    ])
    const curve = await instantiateCurve()
    keccak = hash
    return createCrypto(hash, curve)
  } catch (reason) {
    // biome-ignore lint/suspicious/noConsole: no chain exists yet to emit an event.
    console.warn(
      'preseal: WebAssembly cannot be loaded, so hashes and signatures are computed in JavaScript, which is slower. ' +
        "A Content-Security-Policy allows WebAssembly by 'wasm-unsafe-eval' in script-src. The reason:",
      reason,
    )
    const { nobleCurve, nobleKeccak } = await import('./nobleCurve.ts')
    keccak = nobleKeccak
    return createCrypto(nobleKeccak, nobleCurve)
  }
}

function createCrypto(keccak256: Keccak, curve: Curve): Crypto {
  const raw = createRawCurve(curve)
  return {
    keccak256,
    keccak256Hex: (bytes) => bytesToHex(keccak256(bytes)),
    recover(hash, r, s, yParity) {
      if (r <= 0n || s <= 0n || s > HALF_CURVE_ORDER) throw new InvalidSenderError()
      // An r beyond 32 bytes would be truncated, and then recover another signer.
      if (r >= CURVE_ORDER) throw new InvalidSenderError()
      return raw.recover(hash, bigintToBytes32(r), bigintToBytes32(s), yParity)
    },
    sign(hash, privateKey) {
      const signature = raw.sign(hash, privateKey)
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
    raw,
  }
}

/** Checks the lengths and the parity, which the curve does not. */
function createRawCurve(curve: Curve): RawCurve {
  return {
    recover(hash, r, s, yParity) {
      if (hash.length !== 32) throw new InvalidHashError()
      const wellFormed = (yParity === 0 || yParity === 1) && r.length === 32 && s.length === 32
      const publicKey = wellFormed ? curve.recover(hash, r, s, yParity) : undefined
      if (publicKey === undefined) throw new InvalidSenderError()
      return publicKey
    },
    sign(hash, privateKey) {
      if (hash.length !== 32) throw new InvalidHashError()
      const signature = privateKey.length === 32 ? curve.sign(hash, privateKey) : undefined
      if (signature === undefined) throw new InvalidPrivateKeyError()
      return signature
    },
  }
}

// keccak256 in WebAssembly.
//
// Owns one instance's memory, whose size is fixed: longer inputs pass through it in pieces.

/** Instantiates the binary; rejects if the host refuses WebAssembly. See {@link Crypto.keccak256} for the result. */
async function instantiateKeccak(): Promise<(bytes: Uint8Array) => Uint8Array> {
  const { memory, input, capacity, output, update, finish } = await instantiate<Exports>(knownHexToBytes(hex))
  const heap = new Uint8Array(memory.buffer)
  const start = input()
  const size = capacity()
  const hash = output()
  return (bytes) => {
    let rest = bytes
    while (rest.length > size) {
      heap.set(rest.subarray(0, size), start)
      update(size)
      rest = rest.subarray(size)
    }
    heap.set(rest, start)
    finish(rest.length)
    return heap.slice(hash, hash + 32)
  }
}
