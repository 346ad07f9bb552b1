/** RLP (Yellow Paper, appendix B). Decoding is strict. */
import { writeHex } from './bytes.ts'
import { InvalidRlpError } from './errors.ts'
import type { Hex } from './types.ts'

/** An item of RLP: a string of bytes, or a list of items (Yellow Paper, appendix B). */
export type RlpItem = Uint8Array | readonly RlpItem[]

/** Encodes one item into a new array. Uses the shared buffer: see {@link startRlp}. */
export function encodeRlp(item: RlpItem): Uint8Array {
  startRlp()
  putItem(item)
  return copyRlp()
}

function putItem(item: RlpItem): void {
  if (item instanceof Uint8Array) {
    putString(item)
    return
  }
  const mark = rlpMark()
  for (let i = item.length - 1; i >= 0; i--) putItem(item[i]!)
  putList(mark)
}

/**
 * Whether the bytes from `start` on encode at most `maxItems` items, in lists nested at most `maxDepth` deep. Limits
 * the work of a decoder: some copy a list once per level around it. The decoder must refuse malformed bytes itself.
 */
export function isRlpWithin(bytes: Uint8Array, maxItems: number, maxDepth: number, start = 0): boolean {
  const ends: number[] = []
  let items = 0
  for (let at = start; at < bytes.length; ) {
    while (ends.length > 0 && at >= ends[ends.length - 1]!) ends.pop()
    items += 1
    if (items > maxItems) return false
    const first = bytes[at]!
    const isList = first >= 0xc0
    const short = first - (isList ? 0xc0 : 0x80)
    at += 1
    if (short < 0) continue
    let length = short
    if (short > 55) {
      length = 0
      for (const end = at + short - 55; at < end; at++) length = length * 256 + (bytes[at] ?? 0)
    }
    if (!isList) at += length
    else if (ends.push(at + length) > maxDepth) return false
  }
  return true
}

/** Returns how many bytes the encoding of an item has, without encoding it. */
export function rlpSize(item: RlpItem): number {
  if (!(item instanceof Uint8Array)) return rlpSizeOf(item.reduce((size, part) => size + rlpSize(part), 0))
  return item.length === 1 && item[0]! < 0x80 ? 1 : rlpSizeOf(item.length)
}

/** The encoded length of a list, or of a string of more than one byte, with this much content. */
export function rlpSizeOf(content: number): number {
  let prefix = 1
  if (content > 55) for (let rest = content; rest > 0; rest >>>= 8) prefix += 1
  return prefix + content
}

/** Encodes the prefix of a list whose items have `content` bytes. Uses the buffer of {@link startRlp}. */
export function rlpListPrefix(content: number): Uint8Array {
  startRlp()
  putPrefix(0xc0, content)
  return copyRlp()
}

/** Decodes one item; strings are copies. @throws InvalidRlpError unless it is the whole, canonical encoding. */
export function decodeRlp(bytes: Uint8Array): RlpItem {
  const { item, end } = decodeFirstRlp(bytes)
  if (end !== bytes.length) throw new InvalidRlpError('invalid RLP: remainder must be zero')
  return item
}

/** Decodes the first item, and returns where it ends. @throws InvalidRlpError */
export function decodeFirstRlp(bytes: Uint8Array): { readonly item: RlpItem; readonly end: number } {
  if (bytes.length === 0) throw new InvalidRlpError('invalid RLP: an item is missing')
  const cursor = new RlpCursor(bytes)
  const item = decodeItem(cursor, 0, bytes.length)
  return { item, end: cursor.end }
}

function decodeItem(cursor: RlpCursor, at: number, limit: number): RlpItem {
  cursor.read(at, limit)
  const { start, end } = cursor
  if (!cursor.isList) return cursor.bytes.slice(start, end)
  const items: RlpItem[] = []
  for (let next = start; next < end; next = cursor.end) items.push(decodeItem(cursor, next, end))
  return items
}

/** Finds RLP items in place, without copying them. Owns: the position of the item read last. */
export class RlpCursor {
  isList = false
  start = 0
  end = 0

  constructor(readonly bytes: Uint8Array) {}

  size(): number {
    return this.end - this.start
  }

  /**
   * Reads the item at `at`, without checking the content of a list. The list around it ends at `limit`, above `at`.
   *
   * @throws InvalidRlpError if the encoding is not canonical, or ends after the limit.
   */
  read(at: number, limit: number): void {
    const first = this.bytes[at]!
    this.isList = first >= 0xc0
    if (first < 0x80) {
      this.start = at
      this.end = at + 1
      return
    }
    const size = first - (this.isList ? 0xc0 : 0x80)
    if (size > 55) {
      this.#readLong(at, limit, size - 55)
      return
    }
    this.start = at + 1
    this.end = at + 1 + size
    if (this.end > limit) throw new InvalidRlpError('invalid RLP (an item is longer than what contains it)')
    if (size === 1 && !this.isList && this.bytes[this.start]! < 0x80) {
      throw new InvalidRlpError('invalid RLP encoding: invalid prefix, single byte < 0x80 are not prefixed')
    }
  }

  /** {@link read}, and checks the encoding of all items within the item. */
  readWhole(at: number, limit: number): void {
    this.read(at, limit)
    if (!this.isList) return
    const { start, end } = this
    for (let next = start; next < end; next = this.end) this.readWhole(next, end)
    this.isList = true
    this.start = start
    this.end = end
  }

  /** Reads an item whose length, above 55, is in the `digits` bytes after the first. */
  #readLong(at: number, limit: number, digits: number): void {
    const { bytes, isList } = this
    const start = at + 1 + digits
    if (!isList && start >= limit) {
      throw new InvalidRlpError('invalid RLP: not enough bytes for string length')
    }
    if (start > limit) throw new InvalidRlpError('invalid RLP (a list has not enough bytes for its length)')
    if (bytes[at + 1] === 0) throw new InvalidRlpError('invalid RLP: extra zeros')
    let size = 0
    for (let i = at + 1; i < start; i++) size = size * 256 + bytes[i]!
    if (size < 56) {
      throw new InvalidRlpError(
        isList
          ? 'invalid RLP: encoded list too short'
          : 'invalid RLP: expected string length to be greater than 55',
      )
    }
    this.start = start
    this.end = start + size
    if (this.end <= limit) return
    throw new InvalidRlpError(
      isList
        ? 'invalid RLP: total length is larger than the data'
        : 'invalid RLP (a string is longer than what contains it)',
    )
  }
}

// Writes RLP from its end to its start: a list's length is known when its prefix is written, and items need no arrays.
//
// An encoding calls `startRlp`, writes the items from the last to the first, with `putList` after a list's items, and
// ends with `writtenRlp` or `copyRlp`. Owns: one buffer, for one encoding at a time, so encodings must not nest.

const MAX_PREFIX = 5

const FIRST_SIZE = 4096
/** The largest size that the buffer keeps after a long encoding. */
const MAX_KEPT = 2 ** 20

let buffer = new Uint8Array(FIRST_SIZE)
let view = new DataView(buffer.buffer)
let at = buffer.length

/** Starts an encoding in the shared buffer. The last result of {@link writtenRlp} is not valid any more. */
export function startRlp(): void {
  if (buffer.length > MAX_KEPT) useBuffer(new Uint8Array(FIRST_SIZE))
  at = buffer.length
}

/** The encoding; valid until the next one starts. */
export function writtenRlp(): Uint8Array {
  return buffer.subarray(at)
}

/** Returns the encoding in a new array, which stays valid. */
export function copyRlp(): Uint8Array {
  return buffer.slice(at)
}

/** The number of bytes written so far; {@link putList} takes it after a list's items. */
export function rlpMark(): number {
  return buffer.length - at
}

/** Turns the items written since a mark into a list. */
export function putList(mark: number): void {
  putPrefix(0xc0, buffer.length - at - mark)
}

/** Writes a byte outside RLP, such as the type of a transaction (EIP-2718). */
export function putByte(byte: number): void {
  reserve(1)
  at -= 1
  buffer[at] = byte
}

/** Writes a string of bytes before the items written so far. */
export function putString(bytes: Uint8Array): void {
  const { length } = bytes
  reserve(length)
  at -= length
  buffer.set(bytes, at)
  endString(length)
}

/** Writes a string given in hex. @throws InvalidHexError as `hexToBytes`. */
export function putHex(hex: Hex): void {
  const length = (hex.length - 1) >> 1
  reserve(length)
  at -= length
  writeHex(hex, buffer, at)
  endString(length)
}

/** Writes an integer from 0 to 2^256 - 1 without leading zeros; 0 is the empty string. */
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

/** Writes `length` bytes of a view that are RLP already. Copying them in words takes less time than a subarray. */
export function putEncoded(from: DataView, start: number, length: number): void {
  reserve(length)
  at -= length
  let done = 0
  for (; done + 4 <= length; done += 4) view.setUint32(at + done, from.getUint32(start + done))
  for (; done < length; done++) buffer[at + done] = from.getUint8(start + done)
}

/** Writes the prefix of a string already written, unless the string is its own encoding. */
export function endString(length: number): void {
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
