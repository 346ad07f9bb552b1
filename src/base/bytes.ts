/** Conversions between bytes, hex strings and integers, for the hot paths. */
import { InvalidHexError } from './errors.ts'
import type { Address, Hash, Hex } from './types.ts'

/** 32 zero bytes, in place of a hash. */
export const ZERO_HASH: Hash = `0x${'00'.repeat(32)}`
/** 20 zero bytes, in place of an address. */
export const ZERO_ADDRESS: Address = `0x${'00'.repeat(20)}`

/** The empty array, which can be shared because it has no byte to change. */
export const NO_BYTES = new Uint8Array(0)

/** The largest word of the EVM, 2^256 - 1. */
export const MAX_UINT256 = 2n ** 256n - 1n

const NOT_HEX = 0xff
const MAX_UINT64 = 0xffff_ffff_ffff_ffffn
/** A double holds integers of up to this many bytes exactly. */
const MAX_NUMBER_BYTES = 6
const LOW_BITS = BigInt(8 * MAX_NUMBER_BYTES)
/** From this length on, a decoder is faster than joining digits. */
const DECODED_FROM = 16

/** The value of a hex digit, by its character code. */
const nibbles = new Uint8Array(128).fill(NOT_HEX)
for (let digit = 0; digit < 16; digit++) {
  const lower = digit.toString(16)
  nibbles[lower.charCodeAt(0)] = digit
  nibbles[lower.toUpperCase().charCodeAt(0)] = digit
}

/** The two digits of each byte, as text and as two adjacent characters in memory. */
const digits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const digitPairs = new Uint16Array(Uint8Array.from(new TextEncoder().encode(digits.join(''))).buffer)
const decoder = new TextDecoder()
/** The text being decoded, starting with `0x`; grows to the longest text so far. */
let text = new Uint16Array(0)

/** Converts bytes to a hex string; `0x` for none. */
export function bytesToHex(bytes: Uint8Array): Hex {
  const { length } = bytes
  if (length < DECODED_FROM) {
    let hex = '0x'
    for (let i = 0; i < length; i++) hex += digits[bytes[i]!]
    return hex as Hex
  }
  // Decoding gives a flat string. Joined digits are a tree of strings, which stays in memory until it is read.
  if (text.length <= length) {
    text = new Uint16Array(Math.max(2 * length, 512))
    new TextEncoder().encodeInto('0x', new Uint8Array(text.buffer))
  }
  for (let i = 0; i < length; i++) text[i + 1] = digitPairs[bytes[i]!]!
  return decoder.decode(text.subarray(0, length + 1)) as Hex
}

/** Converts hex of either case to bytes; an odd number of digits gets a leading zero. @throws InvalidHexError */
export function hexToBytes(hex: Hex): Uint8Array {
  const bytes = new Uint8Array(Math.max(0, (hex.length - 1) >> 1))
  writeHex(hex, bytes, 0)
  return bytes
}

/** The host's hex decoders: newer engines have `fromHex`; Node's stops at the first character that is not a digit. */
const decoders = globalThis as unknown as {
  readonly Uint8Array: { fromHex?(digits: string): Uint8Array<ArrayBuffer> }
  readonly Buffer?: { from(digits: string, encoding: 'hex'): Uint8Array }
}

/**
 * {@link hexToBytes} for long text that is known to be an even number of hex digits. Uses the host's decoder, which is
 * faster than code that runs for the first time. The result shares its buffer with nothing.
 */
export function knownHexToBytes(hex: Hex): Uint8Array<ArrayBuffer> {
  if (decoders.Uint8Array.fromHex) return decoders.Uint8Array.fromHex(hex.slice(2))
  if (decoders.Buffer) return new Uint8Array(decoders.Buffer.from(hex.slice(2), 'hex'))
  return hexToBytes(hex) as Uint8Array<ArrayBuffer>
}

/** Writes the bytes of a hex string at an offset, where they must fit. @throws InvalidHexError */
export function writeHex(hex: Hex, bytes: Uint8Array, offset: number): void {
  if (hex.charCodeAt(0) !== 0x30 || hex.charCodeAt(1) !== 0x78) throw new InvalidHexError()
  const end = offset + ((hex.length - 1) >> 1)
  let seen = 0
  let at = 2
  let i = offset
  if (hex.length & 1) {
    seen = nibbles[hex.charCodeAt(at++)] ?? NOT_HEX
    bytes[i++] = seen
  }
  for (; i < end; i++) {
    const high = nibbles[hex.charCodeAt(at++)] ?? NOT_HEX
    const low = nibbles[hex.charCodeAt(at++)] ?? NOT_HEX
    seen |= high | low
    bytes[i] = (high << 4) | low
  }
  if (seen > 0xf) throw new InvalidHexError()
}

/** Pads hex of up to 32 bytes with leading zeros to 32 bytes. Keeps the case of its digits. */
export function hexToWord(hex: Hex): Hash {
  return `0x${hex.slice(2).padStart(64, '0')}`
}

/** An integer from 0 to 2^256 - 1 as a 32-byte word. */
export function toWord(n: bigint | number): Hash {
  return `0x${n.toString(16).padStart(64, '0')}`
}

/** An integer from 0 to 2^160 - 1 as an address. */
export function toAddress(n: bigint | number): Address {
  return `0x${n.toString(16).padStart(40, '0')}`
}

/** The big-endian bytes of `n` ≥ 0 without leading zeros; none for 0. */
export function bigintToBytes(n: bigint): Uint8Array {
  if (n === 0n) return new Uint8Array(0)
  const digits = n.toString(16)
  const bytes = new Uint8Array((digits.length + 1) >> 1)
  let at = digits.length
  for (let i = bytes.length - 1; i >= 0; i--) {
    const low = nibbles[digits.charCodeAt(--at)]!
    const high = at > 0 ? nibbles[digits.charCodeAt(--at)]! : 0
    bytes[i] = (high << 4) | low
  }
  return bytes
}

const word = new DataView(new ArrayBuffer(32))
const wordBytes = new Uint8Array(word.buffer)
const lowestBytes = wordBytes.subarray(24)

/** The 32 big-endian bytes of `n`, an integer from 0 to 2^256 - 1. */
export function bigintToBytes32(n: bigint): Uint8Array {
  const bytes = new Uint8Array(32)
  word.setBigUint64(24, n)
  if (n <= MAX_UINT64) {
    bytes.set(lowestBytes, 24)
    return bytes
  }
  word.setBigUint64(16, n >> 64n)
  word.setBigUint64(8, n >> 128n)
  word.setBigUint64(0, n >> 192n)
  bytes.set(wordBytes)
  return bytes
}

/** Reads the bytes from `start` to `end` as an unsigned big-endian integer; 0 if there are none. */
export function bytesToBigint(bytes: Uint8Array, start = 0, end: number = bytes.length): bigint {
  const length = end - start
  if (length <= MAX_NUMBER_BYTES) return BigInt(bytesToNumber(bytes, start, end))
  if (length <= 2 * MAX_NUMBER_BYTES) {
    const middle = end - MAX_NUMBER_BYTES
    const high = BigInt(bytesToNumber(bytes, start, middle)) << LOW_BITS
    return high | BigInt(bytesToNumber(bytes, middle, end))
  }
  if (length === 32) {
    const view = new DataView(bytes.buffer, bytes.byteOffset + start, 32)
    const high = (view.getBigUint64(0) << 64n) | view.getBigUint64(8)
    return (high << 128n) | (view.getBigUint64(16) << 64n) | view.getBigUint64(24)
  }
  return BigInt(bytesToHex(bytes.subarray(start, end)))
}

function bytesToNumber(bytes: Uint8Array, start: number, end: number): number {
  let n = 0
  for (let i = start; i < end; i++) n = n * 256 + bytes[i]!
  return n
}

/** A JSON-RPC quantity: hex without leading zeros, `0x0` for 0 (spec.md §2). */
export function quantity(n: bigint | number): Hex {
  return `0x${n.toString(16)}`
}

/** Copies arrays, in order, into a new one. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Returns whether two arrays have the same bytes. Stops at the first difference, so it is not for secrets. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
