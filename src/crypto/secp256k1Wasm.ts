/**
 * secp256k1 in WebAssembly: libsecp256k1 as compiled by libauth.
 *
 * Loaded by `import()` only, so that its 120 kB stay a separate chunk. Owns one instance's memory: every call writes
 * its arguments to fixed places there and copies the result out. Ethereum's own rules for signatures are checked in
 * crypto.ts.
 */
// Imported by file: the package's index instantiates all its binaries with top-level await, and cannot be `require`d.
import {
  getEmbeddedSecp256k1Binary,
  instantiateSecp256k1WasmBytes,
  type Secp256k1Wasm,
} from '@bitauth/libauth/build/lib/bin/secp256k1/secp256k1-wasm.js'

/** The operations of secp256k1 that Ethereum needs; `undefined` for arguments that are out of range. */
export interface Curve {
  /** Uncompressed public key, 64 bytes; `r` and `s` are 32 bytes each, `s` in either half. */
  recover(hash: Uint8Array, r: Uint8Array, s: Uint8Array, yParity: number): Uint8Array | undefined
  /** yParity ‖ r ‖ s, 65 bytes; RFC 6979 without extra entropy, `s` in the lower half. */
  sign(hash: Uint8Array, privateKey: Uint8Array): Uint8Array<ArrayBuffer> | undefined
  /** Uncompressed public key, 64 bytes. */
  publicKey(privateKey: Uint8Array): Uint8Array | undefined
}

/** SECP256K1_CONTEXT_SIGN | SECP256K1_CONTEXT_VERIFY of secp256k1.h. */
const SIGN_AND_VERIFY = 0x301
/** SECP256K1_EC_UNCOMPRESSED of secp256k1.h. */
const UNCOMPRESSED = 2

class WasmCurve implements Curve {
  readonly #wasm: Secp256k1Wasm
  readonly #context: number
  readonly #hash: number
  readonly #privateKey: number
  readonly #signature: number
  readonly #recoverable: number
  readonly #recovery: number
  readonly #point: number
  readonly #output: number
  readonly #outputLength: number

  constructor(wasm: Secp256k1Wasm) {
    this.#wasm = wasm
    this.#context = wasm.contextCreate(SIGN_AND_VERIFY)
    this.#hash = wasm.malloc(32)
    this.#privateKey = wasm.malloc(32)
    this.#signature = wasm.malloc(64)
    this.#recoverable = wasm.malloc(65)
    this.#recovery = wasm.malloc(4)
    this.#point = wasm.malloc(64)
    this.#output = wasm.malloc(65)
    this.#outputLength = wasm.malloc(4)
  }

  recover(hash: Uint8Array, r: Uint8Array, s: Uint8Array, yParity: number): Uint8Array | undefined {
    const wasm = this.#wasm
    wasm.heapU8.set(hash, this.#hash)
    wasm.heapU8.set(r, this.#signature)
    wasm.heapU8.set(s, this.#signature + 32)
    const parsed = wasm.recoverableSignatureParse(this.#context, this.#recoverable, this.#signature, yParity)
    if (parsed !== 1) return undefined
    if (wasm.recover(this.#context, this.#point, this.#recoverable, this.#hash) !== 1) return undefined
    return this.#readPoint()
  }

  sign(hash: Uint8Array, privateKey: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
    const wasm = this.#wasm
    wasm.heapU8.set(hash, this.#hash)
    const done = this.#withPrivateKey(privateKey, (key) =>
      wasm.signRecoverable(this.#context, this.#recoverable, this.#hash, key),
    )
    if (done !== 1) return undefined
    wasm.recoverableSignatureSerialize(this.#context, this.#signature, this.#recovery, this.#recoverable)
    const signature = new Uint8Array(65)
    signature[0] = wasm.heapU8[this.#recovery]!
    signature.set(wasm.readHeapU8(this.#signature, 64), 1)
    return signature
  }

  publicKey(privateKey: Uint8Array): Uint8Array | undefined {
    const done = this.#withPrivateKey(privateKey, (key) =>
      this.#wasm.pubkeyCreate(this.#context, this.#point, key),
    )
    return done === 1 ? this.#readPoint() : undefined
  }

  #withPrivateKey(privateKey: Uint8Array, use: (pointer: number) => number): number {
    const { heapU8 } = this.#wasm
    heapU8.set(privateKey, this.#privateKey)
    const result = use(this.#privateKey)
    heapU8.fill(0, this.#privateKey, this.#privateKey + 32)
    return result
  }

  #readPoint(): Uint8Array {
    const wasm = this.#wasm
    wasm.heapU32[this.#outputLength >> 2] = 65
    wasm.pubkeySerialize(this.#context, this.#output, this.#outputLength, this.#point, UNCOMPRESSED)
    return wasm.readHeapU8(this.#output + 1, 64).slice()
  }
}

/** The binary, in a buffer of its own, so that it can be transferred. */
export function curveBinary(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(getEmbeddedSecp256k1Binary() as ArrayBuffer)
}

/**
 * Instantiates the binary; rejects if the host refuses WebAssembly.
 *
 * @param binary - in a worker, whose script does not contain it.
 */
export async function instantiateCurve(binary = curveBinary()): Promise<Curve> {
  return new WasmCurve(await instantiateSecp256k1WasmBytes(binary.buffer))
}
