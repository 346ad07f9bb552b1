/** Decodes revert data to text. */
import { bytesToBigint } from '../../base/bytes.ts'

const ERROR_STRING = 0x08c379a0
const PANIC = 0x4e487b71

/** Meanings of Solidity's panic codes, in go-ethereum's words. */
const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
])

/** Returns the text of `Error(string)` or the meaning of `Panic(uint256)`; undefined for any other data. */
export function toRevertReason(data: Uint8Array): string | undefined {
  if (data.length < 36) return undefined
  const selector = Number(bytesToBigint(data.subarray(0, 4)))
  const word = bytesToBigint(data.subarray(4, 36))
  if (selector === PANIC) return PANICS.get(word) ?? `unknown panic code: 0x${word.toString(16)}`
  if (selector !== ERROR_STRING || word !== 32n || data.length < 68) return undefined
  const length = bytesToBigint(data.subarray(36, 68))
  if (length > BigInt(data.length - 68)) return undefined
  return new TextDecoder().decode(data.subarray(68, 68 + Number(length)))
}
