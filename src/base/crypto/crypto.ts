/**
 * keccak256 and secp256k1 in WebAssembly. If the host refuses WebAssembly (CSP), in JavaScript, with a warning.
 *
 * Owns: one instance of each per process, shared by all chains. Does not own keys.
 */
import { type Exports, hex } from '@preseal/keccak256'
import { bigintToBytes32, bytesToBigint, bytesToHex, knownHexToBytes } from '../bytes.ts'
import type { Address, Hash } from '../types.ts'
import { loadOnce } from '../waiting.ts'
import { InvalidHashError, InvalidPrivateKeyError, InvalidSenderError } from './errors.ts'
import { instantiate } from './instantiate.ts'
import type { Curve } from './secp256k1Wasm.ts'

/** A secp256k1 signature, as transactions and authorisations carry it. */
export interface Signature {
  readonly r: bigint
  readonly s: bigint
  readonly yParity: 0 | 1
}

/** Hashing, signing and sender recovery; every call is synchronous. */
export interface Crypto {
  /** keccak256: 32 bytes, at the start of a separate `ArrayBuffer`, where libraries read them. */
  keccak256(bytes: Uint8Array): Uint8Array
  keccak256Hex(bytes: Uint8Array): Hash
  /**
   * Recovers the signer's uncompressed public key: 64 bytes, without the 0x04 prefix.
   *
   * @throws InvalidSenderError if r or s is out of range, s is in the upper half (EIP-2), yParity is neither 0 nor 1,
   * or no key can be recovered.
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
  addressOf(publicKey: Uint8Array): Address
  readonly raw: RawCurve
}

/** secp256k1 on bytes; s may be in either half, as the precompile requires. */
export interface RawCurve {
  /** Recovers the public key: 64 bytes. @throws InvalidSenderError, InvalidHashError */
  recover(hash: Uint8Array, r: Uint8Array, s: Uint8Array, yParity: number): Uint8Array
  /** Signs deterministically (RFC 6979): yParity ‖ r ‖ s. @throws InvalidPrivateKeyError, InvalidHashError */
  sign(hash: Uint8Array, privateKey: Uint8Array): Uint8Array<ArrayBuffer>
}

/** The order of secp256k1 (SEC 2, section 2.4.1): private keys, r and s are from 1 to this number minus 1. */
export const CURVE_ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n
/** The highest s of a transaction's signature since Homestead (EIP-2). */
export const HALF_CURVE_ORDER = CURVE_ORDER / 2n

type Keccak = Crypto['keccak256']

let keccak: Keccak | undefined

/** The one `Crypto` of this process. Rejects only if a file of the package cannot be loaded; then call it again. */
export const loadCrypto: () => Promise<Crypto> = loadOnce(load)

/** keccak256, after {@link loadCrypto} has resolved. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak!(bytes)
}

async function load(): Promise<Crypto> {
  try {
    // The hash compiles while the curve's file loads.
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
  const raw: RawCurve = {
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
  return {
    keccak256,
    keccak256Hex: (bytes) => bytesToHex(keccak256(bytes)),
    recover(hash, r, s, yParity) {
      // An r of more than 32 bytes would be truncated and recover a different signer.
      if (r <= 0n || r >= CURVE_ORDER || s <= 0n || s > HALF_CURVE_ORDER) throw new InvalidSenderError()
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

/** keccak256 in WebAssembly. Owns: the memory of one instance, of a fixed size: longer input passes in pieces. */
async function instantiateKeccak(): Promise<Keccak> {
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
