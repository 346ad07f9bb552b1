/**
 * Writes RLP from its end to its start: the length of a list is known when its prefix is written, and no item needs an
 * array of its own.
 *
 * Owns: one buffer, for one encoding at a time, so that no encoding may begin within another:
 * `startRlp` → items, the last one first; `putList` behind those of a list → `writtenRlp` | `copyRlp`.
 */
import { writeHex } from './bytes.ts'
import { rlpSizeOf } from './rlp.ts'
import type { Hex } from './types.ts'

const MAX_PREFIX = 5

/** The bytes of the buffer at first, and those that it keeps after a long encoding. */
const FIRST_SIZE = 4096
const MOST_KEPT = 2 ** 20

let buffer = new Uint8Array(FIRST_SIZE)
let view = new DataView(buffer.buffer)
/** Where the encoding starts so far. */
let at = buffer.length

/** Starts an encoding. */
export function startRlp(): void {
  if (buffer.length > MOST_KEPT) useBuffer(new Uint8Array(FIRST_SIZE))
  at = buffer.length
}

/** The encoding; valid until the next one starts. */
export function writtenRlp(): Uint8Array {
  return buffer.subarray(at)
}

/** The encoding in a new array. */
export function copyRlp(): Uint8Array {
  return buffer.slice(at)
}

/** The number of bytes written so far, to be passed to {@link putList} once the items of a list are written. */
export function rlpMark(): number {
  return buffer.length - at
}

/** Makes what was written since a mark a list. */
export function putList(mark: number): void {
  putPrefix(0xc0, buffer.length - at - mark)
}

/** Writes a byte that is not part of RLP, such as the type of a transaction (EIP-2718). */
export function putByte(byte: number): void {
  reserve(1)
  at -= 1
  buffer[at] = byte
}

/** Writes a string. */
export function putString(bytes: Uint8Array): void {
  const { length } = bytes
  reserve(length)
  at -= length
  buffer.set(bytes, at)
  endString(length)
}

/** Writes a string that is given in hex. @throws InvalidHexError as `hexToBytes`. */
export function putHex(hex: Hex): void {
  const length = (hex.length - 1) >> 1
  reserve(length)
  at -= length
  writeHex(hex, buffer, at)
  endString(length)
}

/** Writes an integer from 0 to 2^256 - 1. */
export function putInteger(n: bigint): void {
  reserve(32)
  const end = at
  if (n <= Number.MAX_SAFE_INTEGER) {
    for (let rest = Number(n); rest > 0; rest = Math.floor(rest / 256)) buffer[--at] = rest
  } else {
    for (let rest = n; rest > 0n; rest >>= 64n) {
      at -= 8
      view.setBigUint64(at, rest)
    }
    while (buffer[at] === 0) at += 1
  }
  endString(end - at)
}

/** Writes the prefix of a string of which the bytes are written, unless it is its own encoding. */
function endString(length: number): void {
  if (length !== 1 || buffer[at]! >= 0x80) putPrefix(0x80, length)
}

function putPrefix(offset: number, length: number): void {
  reserve(MAX_PREFIX)
  const size = rlpSizeOf(length) - length
  if (size === 1) buffer[--at] = offset + length
  else {
    for (let rest = length; rest > 0; rest >>>= 8) buffer[--at] = rest
    buffer[--at] = offset + 54 + size
  }
}

function reserve(length: number): void {
  if (at >= length) return
  const written = buffer.subarray(at)
  const grown = new Uint8Array(2 * (written.length + length + MAX_PREFIX))
  grown.set(written, grown.length - written.length)
  at = grown.length - written.length
  useBuffer(grown)
}

function useBuffer(bytes: Uint8Array<ArrayBuffer>): void {
  buffer = bytes
  view = new DataView(bytes.buffer)
}
