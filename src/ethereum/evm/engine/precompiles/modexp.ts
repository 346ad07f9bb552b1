/** MODEXP: modular exponentiation of integers of any length (EIP-198). */
import { bigintToBytes, bytesToBigint } from '../../../../base/bytes.ts'
import type { ForkRules } from '../../../forks.ts'
import { Halt } from '../message.ts'
import { type Precompile, readPadded } from './precompile.ts'

const HEADER = 96
/** The maximum length in bytes of base, exponent and modulus since Osaka (EIP-7823). */
const MAX_LENGTH = 1024n

interface Pricing {
  readonly multiplication: (length: bigint) => bigint
  /** How many multiplications are charged per byte of the exponent after the first 32 bytes. */
  readonly perByte: bigint
  readonly divisor: bigint
  readonly minimum: bigint
}

const BYZANTIUM: Pricing = {
  multiplication(length) {
    const square = length * length
    if (length <= 64n) return square
    if (length <= 1024n) return square / 4n + 96n * length - 3072n
    return square / 16n + 480n * length - 199_680n
  },
  perByte: 8n,
  divisor: 20n,
  minimum: 0n,
}

const BERLIN: Pricing = { multiplication: squareOfWords, perByte: 8n, divisor: 3n, minimum: 200n }

const OSAKA: Pricing = {
  multiplication: (length) => (length <= 32n ? 16n : 2n * squareOfWords(length)),
  perByte: 16n,
  divisor: 1n,
  minimum: 500n,
}

/** The words have 8 bytes here. */
function squareOfWords(length: bigint): bigint {
  const words = (length + 7n) / 8n
  return words * words
}

/** modexp: the lengths of base, exponent and modulus ‖ the three → the power, as long as the modulus. */
export function createModexp(fork: ForkRules): Precompile {
  const pricing = fork.osaka ? OSAKA : fork.berlin ? BERLIN : BYZANTIUM
  return {
    gas(input) {
      const { multiplication, perByte, divisor, minimum } = pricing
      const [base, exponent, modulus] = lengthsOf(input)
      let multiplications = highestBit(input, base, exponent)
      if (exponent > 32n) multiplications += perByte * (exponent - 32n)
      if (multiplications === 0n) multiplications = 1n
      const price = (multiplication(base > modulus ? base : modulus) * multiplications) / divisor
      const gas = price < minimum ? minimum : price
      return gas > Number.MAX_SAFE_INTEGER ? Number.POSITIVE_INFINITY : Number(gas)
    },
    run(input) {
      const lengths = lengthsOf(input)
      if (fork.osaka && lengths.some((length) => length > MAX_LENGTH)) {
        throw new Halt('one or more of base/exponent/modulus length exceeded 1024 bytes')
      }
      const [base, exponent, modulus] = lengths.map(Number) as [number, number, number]
      const result = new Uint8Array(modulus)
      if (modulus === 0) return result
      const divisor = integerAt(input, HEADER + base + exponent, modulus)
      if (divisor === 0n) return result
      const digits = input.subarray(HEADER + base, HEADER + base + exponent)
      return writeResult(result, modularPower(integerAt(input, HEADER, base), digits, 8 * exponent, divisor))
    },
  }
}

function* writeResult(
  result: Uint8Array,
  computation: Generator<undefined, bigint>,
): Generator<undefined, Uint8Array> {
  const bytes = bigintToBytes(yield* computation)
  result.set(bytes, result.length - bytes.length)
  return result
}

function lengthsOf(input: Uint8Array): [bigint, bigint, bigint] {
  const lengthAt = (at: number): bigint => bytesToBigint(readPadded(input, at, 32))
  return [lengthAt(0), lengthAt(32), lengthAt(64)]
}

/** The index of the highest bit in the first 32 bytes of the exponent; 0 if they are zero. */
function highestBit(input: Uint8Array, base: bigint, length: bigint): bigint {
  const head = bytesToBigint(readPadded(input, HEADER + Number(base), length < 32n ? Number(length) : 32))
  return head === 0n ? 0n : BigInt(head.toString(2).length - 1)
}

/** The integer in these bytes; bytes beyond the input are zero. */
function integerAt(input: Uint8Array, at: number, length: number): bigint {
  const present = input.subarray(at, at + length)
  return bytesToBigint(present) << BigInt(8 * (length - present.length))
}

/** The minimum bits of an exponent, and the bits of its windows then. For a shorter exponent, a window has one bit. */
const WIDER_FROM = [
  [672, 6],
  [240, 5],
  [80, 4],
  [24, 3],
] as const

/** How many multiplications of 64-bit integers a part has, in about a millisecond. It has fewer of longer integers. */
const PART = 2 ** 14

/**
 * base^exponent mod modulus, by sliding windows, in parts.
 *
 * Reduces products by division: Montgomery's and Barrett's methods multiply instead, which is slower on bigints.
 *
 * @param exponent - its leading bytes, big-endian; the rest of its `bits` is zero.
 */
export function* modularPower(
  base: bigint,
  exponent: Uint8Array,
  bits: number,
  modulus: bigint,
): Generator<undefined, bigint> {
  const part = Math.ceil(PART / Math.ceil(modulus.toString(16).length / 16) ** 1.5)
  let left = part
  const bitAt = (at: number): number => (exponent[at >> 3]! >> (7 - (at & 7))) & 1
  const given = 8 * exponent.length
  let at = 0
  while (at < given && exponent[at >> 3] === 0) at += 8
  while (at < given && bitAt(at) === 0) at++
  if (at === given) return 1n % modulus

  const width = WIDER_FROM.find(([from]) => given - at >= from)?.[1] ?? 1
  const powers = oddPowers(base % modulus, 2 ** (width - 1), modulus)
  let power = 0n
  for (let first = true; at < given; first = false) {
    if (left <= 0) {
      yield
      left = part
    }
    left--
    if (bitAt(at) === 0) {
      power = (power * power) % modulus
      at++
      continue
    }
    let end = Math.min(at + width, given)
    while (bitAt(end - 1) === 0) end--
    let window = 0
    left -= end - at
    for (; at < end; at++) {
      window = 2 * window + bitAt(at)
      if (!first) power = (power * power) % modulus
    }
    const factor = powers[window >> 1]!
    power = first ? factor : (power * factor) % modulus
  }
  for (; at < bits; at++) {
    if (--left <= 0) {
      yield
      left = part
    }
    power = (power * power) % modulus
  }
  return power
}

/** root^1, root^3, root^5, … */
function oddPowers(root: bigint, count: number, modulus: bigint): bigint[] {
  const powers = [root]
  if (count === 1) return powers
  const square = (root * root) % modulus
  for (let i = 1; i < count; i++) powers.push((powers[i - 1]! * square) % modulus)
  return powers
}
