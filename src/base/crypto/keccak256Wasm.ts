/**
 * keccak256 in WebAssembly.
 *
 * Owns one instance's memory, whose size is fixed: longer inputs pass through it in pieces.
 */
import { type Exports, hex } from '@preseal/keccak256'
import { knownHexToBytes } from '../bytes.ts'
import { instantiate } from './instantiate.ts'

/** Instantiates the binary; rejects if the host refuses WebAssembly. See {@link Crypto.keccak256} for the result. */
export async function instantiateKeccak(): Promise<(bytes: Uint8Array) => Uint8Array> {
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
