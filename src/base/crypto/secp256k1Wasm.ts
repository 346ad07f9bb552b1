/**
 * libsecp256k1 in WebAssembly. Only ever imported lazily, so the binary stays in a separate chunk.
 *
 * Owns: the memory of one instance. Each call writes its arguments to fixed places and copies the result out; private
 * keys are erased before it returns. Does not own: Ethereum's rules for signatures (crypto.ts).
 */
import { type Exports, hex } from '@preseal/secp256k1'
import { knownHexToBytes } from '../bytes.ts'
import { instantiate } from './instantiate.ts'

/** The secp256k1 operations of Ethereum; `undefined` if an argument is out of range. */
export interface Curve {
  /** The uncompressed public key, 64 bytes. `r` and `s` have 32 bytes, `s` in either half; `yParity` is 0 or 1. */
  recover(hash: Uint8Array, r: Uint8Array, s: Uint8Array, yParity: number): Uint8Array | undefined
  /** yParity ‖ r ‖ s, 65 bytes (RFC 6979 without extra entropy), `s` in the lower half. */
  sign(hash: Uint8Array, privateKey: Uint8Array): Uint8Array<ArrayBuffer> | undefined
  /** The uncompressed public key, 64 bytes. */
  publicKey(privateKey: Uint8Array): Uint8Array | undefined
}

class WasmCurve implements Curve {
  readonly #wasm: Exports
  readonly #heap: Uint8Array<ArrayBuffer>
  readonly #hash: number
  readonly #result: number

  constructor(wasm: Exports) {
    this.#wasm = wasm
    this.#heap = new Uint8Array(wasm.memory.buffer)
    this.#hash = wasm.arguments()
    this.#result = wasm.result()
  }

  recover(hash: Uint8Array, r: Uint8Array, s: Uint8Array, yParity: number): Uint8Array | undefined {
    this.#heap.set(hash, this.#hash)
    this.#heap.set(r, this.#hash + 32)
    this.#heap.set(s, this.#hash + 64)
    return this.#wasm.recover(yParity) === 1 ? this.#readResult() : undefined
  }

  sign(hash: Uint8Array, privateKey: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
    this.#heap.set(hash, this.#hash)
    this.#heap.set(privateKey, this.#hash + 32)
    const yParity = this.#wasm.sign()
    if (yParity < 0) return undefined
    const signature = new Uint8Array(65)
    signature[0] = yParity
    signature.set(this.#readResult(), 1)
    return signature
  }

  publicKey(privateKey: Uint8Array): Uint8Array | undefined {
    this.#heap.set(privateKey, this.#hash + 32)
    return this.#wasm.publicKey() === 1 ? this.#readResult() : undefined
  }

  #readResult(): Uint8Array {
    return this.#heap.slice(this.#result, this.#result + 64)
  }
}

/** Rejects if the host refuses WebAssembly. */
export async function instantiateCurve(): Promise<Curve> {
  return new WasmCurve(await instantiate<Exports>(knownHexToBytes(hex)))
}
