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
  publicKey(privateKey: Uint8Array): Uint8Array | undefined
}

/** Instantiates the library with a memory that nothing else uses. Rejects if the host refuses WebAssembly. */
export async function instantiateCurve(): Promise<Curve> {
  const wasm = await instantiate<Exports>(knownHexToBytes(hex))
  const heap = new Uint8Array(wasm.memory.buffer)
  const start = wasm.arguments()
  const result = wasm.result()
  const readResult = (): Uint8Array => heap.slice(result, result + 64)
  return {
    recover(hash, r, s, yParity) {
      heap.set(hash, start)
      heap.set(r, start + 32)
      heap.set(s, start + 64)
      return wasm.recover(yParity) === 1 ? readResult() : undefined
    },
    sign(hash, privateKey) {
      heap.set(hash, start)
      heap.set(privateKey, start + 32)
      const yParity = wasm.sign()
      if (yParity < 0) return undefined
      const signature = new Uint8Array(65)
      signature[0] = yParity
      signature.set(readResult(), 1)
      return signature
    },
    publicKey(privateKey) {
      heap.set(privateKey, start + 32)
      return wasm.publicKey() === 1 ? readResult() : undefined
    },
  }
}
