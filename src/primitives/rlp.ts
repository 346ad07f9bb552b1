/** RLP (Yellow Paper, appendix B): encoding computes the size first and writes once; decoding is strict. */
import { InvalidRlpError } from './errors.ts'

/** A string of bytes or a list. */
export type RlpItem = Uint8Array | readonly RlpItem[]

/** Encodes an item in a new array. */
export function encodeRlp(item: RlpItem): Uint8Array {
  const bytes = new Uint8Array(rlpSize(item))
  write(item, bytes, 0)
  return bytes
}

/**
 * Whether some bytes encode at most `maxItems` items, with lists nested at most `maxDepth` deep: some
 * decoders copy a list once per level around it. Malformed bytes are left to the decoder, which refuses them.
 */
export function isRlpWithin(bytes: Uint8Array, maxItems: number, maxDepth: number): boolean {
  /** The ends of the lists that contain the next item. */
  const ends: number[] = []
  let items = 0
  for (let at = 0; at < bytes.length; ) {
    while (ends.length > 0 && at >= ends.at(-1)!) ends.pop()
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
      for (const digit of bytes.subarray(at, at + short - 55)) length = length * 256 + digit
      at += short - 55
    }
    if (!isList) at += length
    else if (ends.push(at + length) > maxDepth) return false
  }
  return true
}

/** Length of the item's encoding. */
export function rlpSize(item: RlpItem): number {
  if (isBytes(item)) return isItsOwnEncoding(item) ? 1 : rlpSizeOf(item.length)
  return rlpSizeOf(payloadSize(item))
}

/** Length of a list, or of a string of more than one byte, by the length of its content. */
export function rlpSizeOf(content: number): number {
  let prefix = 1
  if (content > 55) for (let rest = content; rest > 0; rest >>>= 8) prefix += 1
  return prefix + content
}

/** The prefix of a list, by the length of its content. */
export function rlpListPrefix(content: number): Uint8Array {
  const prefix = new Uint8Array(rlpSizeOf(content) - content)
  writePrefix(0xc0, content, prefix, 0)
  return prefix
}

function payloadSize(items: readonly RlpItem[]): number {
  let size = 0
  for (const item of items) size += rlpSize(item)
  return size
}

/** Writes an item and returns where it ends. */
function write(item: RlpItem, bytes: Uint8Array, at: number): number {
  if (isBytes(item)) {
    const start = isItsOwnEncoding(item) ? at : writePrefix(0x80, item.length, bytes, at)
    bytes.set(item, start)
    return start + item.length
  }
  let end = writePrefix(0xc0, payloadSize(item), bytes, at)
  for (const part of item) end = write(part, bytes, end)
  return end
}

function writePrefix(offset: number, content: number, bytes: Uint8Array, at: number): number {
  const prefix = rlpSizeOf(content) - content
  if (prefix === 1) bytes[at] = offset + content
  else {
    bytes[at] = offset + 54 + prefix
    for (let i = prefix - 1, rest = content; i > 0; i--, rest >>>= 8) bytes[at + i] = rest
  }
  return at + prefix
}

function isItsOwnEncoding(bytes: Uint8Array): boolean {
  return bytes.length === 1 && bytes[0]! < 0x80
}

function isBytes(item: RlpItem): item is Uint8Array {
  return item instanceof Uint8Array
}

/**
 * The item that the bytes encode; strings are copies.
 *
 * @throws InvalidRlpError for anything but one item in its canonical encoding.
 */
export function decodeRlp(bytes: Uint8Array): RlpItem {
  const { item, end } = decodeRlpItem(bytes, 0, bytes.length)
  if (end !== bytes.length) throw new InvalidRlpError('remainder must be zero')
  return item
}

/** The first item that some bytes encode, and where it ends. @throws InvalidRlpError */
export function decodeFirstRlp(bytes: Uint8Array): { readonly item: RlpItem; readonly end: number } {
  return decodeRlpItem(bytes, 0, bytes.length)
}

function decodeRlpItem(
  bytes: Uint8Array,
  at: number,
  limit: number,
): { readonly item: RlpItem; readonly end: number } {
  const first = at < limit ? bytes[at]! : undefined
  if (first === undefined) throw new InvalidRlpError('an item is missing')
  if (first < 0x80) return { item: bytes.slice(at, at + 1), end: at + 1 }
  const offset = first < 0xc0 ? 0x80 : 0xc0
  const start = first - offset < 56 ? at + 1 : at + 1 + (first - offset - 55)
  const end = start + (first - offset < 56 ? first - offset : readLength(bytes, at + 1, start, limit))
  if (end > limit) throw new InvalidRlpError('total length is larger than the data')
  if (offset === 0x80) {
    if (end === start + 1 && bytes[start]! < 0x80) throw new InvalidRlpError('a byte below 0x80 has a prefix')
    return { item: bytes.slice(start, end), end }
  }
  const items: RlpItem[] = []
  for (let next = start; next < end; ) {
    const decoded = decodeRlpItem(bytes, next, end)
    items.push(decoded.item)
    next = decoded.end
  }
  return { item: items, end }
}

/** Reads an explicit length, which is above 55. */
function readLength(bytes: Uint8Array, at: number, end: number, limit: number): number {
  if (end > limit) throw new InvalidRlpError('not enough bytes for a length')
  if (bytes[at] === 0) throw new InvalidRlpError('extra zeros in a length')
  let length = 0
  for (let i = at; i < end; i++) length = length * 256 + bytes[i]!
  if (length < 56) throw new InvalidRlpError('a length below 56 is in the long form')
  return length
}
