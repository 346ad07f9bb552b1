/**
 * Words of the EVM, and the functions of its arithmetic.
 *
 * A word from 0 to 2^53 - 1 is a number, a larger one a bigint, so equal words are equal by `===`. Most words are
 * counters, offsets and small amounts, and numbers are several times as fast as bigints.
 */
import { MAX_UINT256 } from '../../../base/bytes.ts'

/** An integer from 0 to 2^256 - 1; a number if and only if it is at most 2^53 - 1. */
export type Word = number | bigint

const MAX_SAFE = Number.MAX_SAFE_INTEGER
const FIRST_BIGINT = 2n ** 53n
const TWO_32 = 2 ** 32
const SIGN_BIT = 2n ** 255n

/** The powers of two that a number can hold, and the shifts as bigints. */
const POWERS = Array.from({ length: 54 }, (_, n) => 2 ** n)
const SHIFTS = Array.from({ length: 256 }, (_, n) => BigInt(n))

/** Returns an integer from 0 to 2^256 - 1 as a word. */
export function toEvmWord(n: bigint): Word {
  return n < FIRST_BIGINT ? Number(n) : n
}

/** The word of any integer, modulo 2^256. */
function wrap(n: bigint): Word {
  return toEvmWord(BigInt.asUintN(256, n))
}

/** ADD: modulo 2^256. */
export function add(a: Word, b: Word): Word {
  if (typeof a === 'number' && typeof b === 'number') {
    const sum = a + b
    if (sum <= MAX_SAFE) return sum
  }
  return wrap(BigInt(a) + BigInt(b))
}

/** MUL: modulo 2^256. */
export function mul(a: Word, b: Word): Word {
  if (typeof a === 'number' && typeof b === 'number') {
    const product = a * b
    // Exact: a product that was rounded is at least 2^53.
    if (product <= MAX_SAFE) return product
  }
  return wrap(BigInt(a) * BigInt(b))
}

/** SUB: modulo 2^256. */
export function sub(a: Word, b: Word): Word {
  if (typeof a === 'number' && typeof b === 'number') {
    const difference = a - b
    return difference >= 0 ? difference : BigInt.asUintN(256, BigInt(difference))
  }
  return wrap(BigInt(a) - BigInt(b))
}

/** DIV: rounded down; 0 if `b` is 0. */
export function div(a: Word, b: Word): Word {
  if (b === 0) return 0
  // The quotient of two integers below 2^53 is never rounded up to the next integer.
  if (typeof a === 'number' && typeof b === 'number') return Math.floor(a / b)
  return toEvmWord(BigInt(a) / BigInt(b))
}

/** SDIV: of signed words, rounded towards zero; 0 if `b` is 0. */
export function sdiv(a: Word, b: Word): Word {
  if (typeof a === 'number' && typeof b === 'number') return div(a, b)
  return b === 0 ? 0 : wrap(toSigned(a) / toSigned(b))
}

/** MOD: 0 if `b` is 0. */
export function mod(a: Word, b: Word): Word {
  if (b === 0) return 0
  if (typeof a === 'number' && typeof b === 'number') return a % b
  return toEvmWord(BigInt(a) % BigInt(b))
}

/** SMOD: has the sign of the dividend; 0 if the divisor is 0. */
export function smod(a: Word, b: Word): Word {
  if (typeof a === 'number' && typeof b === 'number') return mod(a, b)
  return b === 0 ? 0 : wrap(toSigned(a) % toSigned(b))
}

/** ADDMOD: of the whole sum, which may exceed 2^256; 0 if `n` is 0. */
export function addmod(a: Word, b: Word, n: Word): Word {
  if (n === 0) return 0
  if (typeof a === 'number' && typeof b === 'number' && typeof n === 'number') {
    const sum = a + b
    if (sum <= MAX_SAFE) return sum % n
  }
  return toEvmWord((BigInt(a) + BigInt(b)) % BigInt(n))
}

/** MULMOD: of the whole product, which may exceed 2^256; 0 if `n` is 0. */
export function mulmod(a: Word, b: Word, n: Word): Word {
  if (n === 0) return 0
  if (typeof a === 'number' && typeof b === 'number' && typeof n === 'number') {
    const product = a * b
    if (product <= MAX_SAFE) return product % n
  }
  return toEvmWord((BigInt(a) * BigInt(b)) % BigInt(n))
}

/** EXP: modulo 2^256, by squaring; x^0 is 1, also for 0. */
export function exp(base: Word, exponent: Word): Word {
  if (base === 2) return shl(exponent, 1)
  const bits = exponent.toString(2)
  let power: Word = 1
  for (let i = 0; i < bits.length; i++) {
    power = mul(power, power)
    if (bits.charCodeAt(i) === 0x31) power = mul(power, base)
  }
  return power
}

/** SIGNEXTEND: extends the sign of the lowest `size + 1` bytes. */
export function signextend(size: Word, a: Word): Word {
  if (typeof size !== 'number' || size > 30) return a
  const bits = 8 * size + 8
  if (typeof a === 'number' && bits < 53) {
    const low = a % POWERS[bits]!
    if (low < POWERS[bits - 1]!) return low
  }
  return wrap(BigInt.asIntN(bits, BigInt(a)))
}

/** The number of significant bytes of a word, for the price of EXP. */
export function byteLength(a: Word): number {
  if (typeof a === 'number' && a < 256) return a === 0 ? 0 : 1
  return (a.toString(16).length + 1) >> 1
}

/** LT; GT with its operands swapped. */
export function lt(a: Word, b: Word): Word {
  return a < b ? 1 : 0
}

/** SLT; SGT with its operands swapped. */
export function slt(a: Word, b: Word): Word {
  if (typeof a === 'number' && typeof b === 'number') return a < b ? 1 : 0
  return toSigned(a) < toSigned(b) ? 1 : 0
}

/** AND: bit by bit. Numbers stay numbers. */
export function and(a: Word, b: Word): Word {
  if (typeof a === 'bigint' && typeof b === 'bigint') return toEvmWord(a & b)
  // One call for both orders of types: the host would compile the loop again for a branch that runs later than others.
  return andNumbers(lowBits(a), lowBits(b))
}

function andNumbers(a: number, b: number): number {
  const low = (a & b) >>> 0
  if (a < TWO_32 || b < TWO_32) return low
  return (Math.floor(a / TWO_32) & Math.floor(b / TWO_32)) * TWO_32 + low
}

/** The lowest 53 bits of a word, as a number. */
function lowBits(a: Word): number {
  return typeof a === 'number' ? a : Number(BigInt.asUintN(53, a))
}

/** OR: bit by bit. Numbers stay numbers. */
export function or(a: Word, b: Word): Word {
  if (typeof a === 'number' && typeof b === 'number') {
    const low = (a | b) >>> 0
    if (a < TWO_32 && b < TWO_32) return low
    return (Math.floor(a / TWO_32) | Math.floor(b / TWO_32)) * TWO_32 + low
  }
  return BigInt(a) | BigInt(b)
}

/** XOR: bit by bit. Numbers stay numbers. */
export function xor(a: Word, b: Word): Word {
  if (typeof a === 'number' && typeof b === 'number') {
    const low = (a ^ b) >>> 0
    if (a < TWO_32 && b < TWO_32) return low
    return (Math.floor(a / TWO_32) ^ Math.floor(b / TWO_32)) * TWO_32 + low
  }
  return toEvmWord(BigInt(a) ^ BigInt(b))
}

/** NOT: a bigint, unless `a` is at least 2^256 - 2^53. */
export function not(a: Word): Word {
  return toEvmWord(MAX_UINT256 ^ BigInt(a))
}

/** BYTE: the byte at `index`, from the most significant one. */
export function byte(index: Word, a: Word): Word {
  if (typeof index !== 'number' || index > 31) return 0
  const bits = 8 * (31 - index)
  if (typeof a === 'number') return bits > 48 ? 0 : Math.floor(a / POWERS[bits]!) & 0xff
  return Number((a >> SHIFTS[bits]!) & 0xffn)
}

/** SHL: modulo 2^256; 0 from a shift of 256 on (EIP-145). */
export function shl(shift: Word, a: Word): Word {
  if (typeof shift !== 'number' || shift > 255) return 0
  if (typeof a === 'number' && shift < 53) {
    const shifted = a * POWERS[shift]!
    if (shifted <= MAX_SAFE) return shifted
  }
  return wrap(BigInt(a) << SHIFTS[shift]!)
}

/** SHR: fills with zeros; 0 from a shift of 256 on (EIP-145). */
export function shr(shift: Word, a: Word): Word {
  if (typeof shift !== 'number' || shift > 255) return 0
  if (typeof a === 'number') return shift > 52 ? 0 : Math.floor(a / POWERS[shift]!)
  return toEvmWord(a >> SHIFTS[shift]!)
}

/** SAR: fills with the sign; all bits are the sign from a shift of 256 on (EIP-145). */
export function sar(shift: Word, a: Word): Word {
  if (typeof a === 'number' || a < SIGN_BIT) return shr(shift, a)
  if (typeof shift !== 'number' || shift > 255) return MAX_UINT256
  return BigInt.asUintN(256, BigInt.asIntN(256, a) >> SHIFTS[shift]!)
}

/** CLZ: the number of leading zero bits (EIP-7939). */
export function clz(a: Word): Word {
  if (typeof a === 'number') {
    return a < TWO_32 ? 224 + Math.clz32(a) : 192 + Math.clz32(Math.floor(a / TWO_32))
  }
  const digits = a.toString(16)
  return 256 - 4 * digits.length + Math.clz32(Number.parseInt(digits[0]!, 16)) - 28
}

function toSigned(a: Word): bigint {
  return BigInt.asIntN(256, BigInt(a))
}

/** Reads a word at an offset; its 32 bytes must be within the view. */
export function readWord(view: DataView, at: number): Word {
  if (view.getUint32(at + 20) === 0 && view.getUint32(at + 16) === 0) {
    const high = view.getUint32(at + 24)
    const isShort =
      high < 0x20_0000 &&
      view.getUint32(at + 12) === 0 &&
      view.getUint32(at + 8) === 0 &&
      view.getUint32(at + 4) === 0 &&
      view.getUint32(at) === 0
    if (isShort) return high * TWO_32 + view.getUint32(at + 28)
  }
  const upper = (view.getBigUint64(at) << 64n) | view.getBigUint64(at + 8)
  return (upper << 128n) | (view.getBigUint64(at + 16) << 64n) | view.getBigUint64(at + 24)
}

/** Writes the 32 bytes of a word at an offset, first byte first. */
export function writeWord(view: DataView, at: number, word: Word): void {
  if (typeof word === 'number') {
    // Each writes eight zero bytes; `setBigUint64` would need a bigint.
    view.setFloat64(at, 0)
    view.setFloat64(at + 8, 0)
    view.setFloat64(at + 16, 0)
    view.setUint32(at + 24, Math.floor(word / TWO_32))
    view.setUint32(at + 28, word)
    return
  }
  view.setBigUint64(at + 24, word)
  view.setBigUint64(at + 16, word >> 64n)
  view.setBigUint64(at + 8, word >> 128n)
  view.setBigUint64(at, word >> 192n)
}

const scratch = new DataView(new ArrayBuffer(32))
const scratchBytes = new Uint8Array(scratch.buffer)

/** Reads up to 32 big-endian bytes as a word; missing ones are leading zeros. */
export function bytesToEvmWord(bytes: Uint8Array): Word {
  scratchBytes.fill(0)
  scratchBytes.set(bytes, 32 - bytes.length)
  return readWord(scratch, 0)
}

/** The word of `size` big-endian bytes at an offset. */
export function wordAt(bytes: Uint8Array, at: number, size: number): Word {
  if (size <= 6) {
    let word = 0
    for (let i = at; i < at + size; i++) word = 256 * word + bytes[i]!
    return word
  }
  scratchBytes.fill(0, 0, 32 - size)
  for (let i = 0; i < size; i++) scratchBytes[32 - size + i] = bytes[at + i]!
  return readWord(scratch, 0)
}

/** The word of 32 bytes at an offset, with zeros beyond the end of the bytes. */
export function readPadded(bytes: Uint8Array, offset: Word): Word {
  if (typeof offset !== 'number' || offset >= bytes.length) return 0
  const end = Math.min(offset + 32, bytes.length)
  for (let i = offset; i < end; i++) scratchBytes[i - offset] = bytes[i]!
  scratchBytes.fill(0, end - offset)
  return readWord(scratch, 0)
}
