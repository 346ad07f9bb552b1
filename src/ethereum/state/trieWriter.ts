/**
 * Writes the RLP of one trie node at a time, front to back, into one shared buffer.
 *
 * Owns that buffer and the byte formats: RLP (Yellow Paper, appendix B) and compact paths (appendix C). Does not own
 * nodes. A caller first computes the size of every item, then writes all of them without other calls in between,
 * each from the offset that the call before returned:
 * `startList` → `writePath` | `writeReference` | `writeString` … → `written`.
 */

import { copyReference, type Reference } from './references.ts'

/** The flag of an extension's compact path. */
export const EXTENSION_FLAG = 0x00
/** The flag of a leaf's compact path. */
export const LEAF_FLAG = 0x20

/** Shared, because allocating an array for every node costs about as much as hashing it. */
let buffer = new Uint8Array(1024)
let view = new DataView(buffer.buffer)

/** Starts a list whose items take `size` bytes: ensures the buffer's capacity and writes the header. */
export function startList(size: number): number {
  if (buffer.length < size + 5) {
    buffer = new Uint8Array(2 * size)
    view = new DataView(buffer.buffer)
  }
  return writeHeader(0xc0, size, 0)
}

/** The bytes written up to `end`; valid until the next `startList`. */
export function written(end: number): Uint8Array {
  return buffer.subarray(0, end)
}

/** The size of a string, its header included. */
export function stringSize(bytes: Uint8Array): number {
  return bytes.length === 1 && bytes[0]! < 0x80 ? 1 : headerSize(bytes.length) + bytes.length
}

/** Writes a string with its header. */
export function writeString(bytes: Uint8Array, at: number): number {
  const start = bytes.length === 1 && bytes[0]! < 0x80 ? at : writeHeader(0x80, bytes.length, at)
  buffer.set(bytes, start)
  return start + bytes.length
}

/** The size of a reference in its parent. */
export function referenceSize({ length }: Reference): number {
  return length === 32 ? 33 : length
}

/** Writes a reference to a node: its 32-byte hash as a string, or its RLP, which is always shorter. */
export function writeReference(reference: Reference, at: number): number {
  if (reference.length !== 32) return copyReference(reference, view, at)
  buffer[at] = 0xa0
  return copyReference(reference, view, at + 1)
}

/** The size of a compact path of `nibbles` nibbles, its header included. */
export function pathSize(nibbles: number): number {
  const bytes = (nibbles >> 1) + 1
  return bytes === 1 ? 1 : headerSize(bytes) + bytes
}

/** Writes the nibbles `from` to `to` of a key as a compact path. */
export function writePath(key: Uint8Array, from: number, to: number, flag: number, at: number): number {
  const bytes = ((to - from) >> 1) + 1
  let index = from >> 1
  if (bytes > 1) at = writeHeader(0x80, bytes, at)
  if (((to - from) & 1) === 0) buffer[at++] = flag
  else buffer[at++] = flag | 0x10 | (from & 1 ? key[index++]! & 15 : key[index]! >> 4)
  // An even number of nibbles is left, so they start in the middle of a byte if and only if they end in one.
  for (const end = at + bytes - 1; at < end; index++) {
    buffer[at++] = to & 1 ? (key[index]! << 4) | (key[index + 1]! >> 4) : key[index]!
  }
  return at
}

function headerSize(size: number): number {
  if (size < 56) return 1
  if (size < 0x100) return 2
  if (size < 0x10000) return 3
  return size < 0x1000000 ? 4 : 5
}

function writeHeader(offset: number, size: number, at: number): number {
  const bytes = headerSize(size) - 1
  if (bytes === 0) {
    buffer[at] = offset + size
    return at + 1
  }
  buffer[at++] = offset + 55 + bytes
  for (let shift = 8 * (bytes - 1); shift >= 0; shift -= 8) buffer[at++] = size >>> shift
  return at
}
