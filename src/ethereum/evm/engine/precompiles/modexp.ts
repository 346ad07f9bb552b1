/** MODEXP: modular exponentiation of integers of any length (EIP-198). */
import { bigintToBytes, bytesToBigint } from '../../../../base/bytes.ts'
import type { ForkRules } from '../../../gas.ts'
import { Halt } from '../halt.ts'
import { modularPower } from './modularPower.ts'
import type { Precompile } from './precompile.ts'
import { readPadded } from './precompileData.ts'

/** Where base, exponent and modulus begin: after the words of their lengths. */
const HEADER = 96
/** The most bytes of base, exponent and modulus since Osaka (EIP-7823). */
const MAX_LENGTH = 1024n

/** How a hardfork prices an exponentiation. */
interface Pricing {
  /** The price of a multiplication of integers with this many bytes. */
  readonly multiplication: (length: bigint) => bigint
  /** The multiplications for each byte of the exponent after its first 32. */
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

/** EIP-2565. */
const BERLIN: Pricing = { multiplication: squareOfWords, perByte: 8n, divisor: 3n, minimum: 200n }

/** EIP-7883. */
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

/** Writes an integer to the end of `result`. */
function* writeResult(
  result: Uint8Array,
  computation: Generator<undefined, bigint>,
): Generator<undefined, Uint8Array> {
  const bytes = bigintToBytes(yield* computation)
  result.set(bytes, result.length - bytes.length)
  return result
}

/** The lengths of base, exponent and modulus. */
function lengthsOf(input: Uint8Array): [bigint, bigint, bigint] {
  const lengthAt = (at: number): bigint => bytesToBigint(readPadded(input, at, 32))
  return [lengthAt(0), lengthAt(32), lengthAt(64)]
}

/** The index of the highest bit in the first 32 bytes of the exponent; 0 if they are zero. */
function highestBit(input: Uint8Array, base: bigint, length: bigint): bigint {
  const head = bytesToBigint(readPadded(input, HEADER + Number(base), length < 32n ? Number(length) : 32))
  return head === 0n ? 0n : BigInt(head.toString(2).length - 1)
}

/** The integer in these bytes; those beyond the input are zero. */
function integerAt(input: Uint8Array, at: number, length: number): bigint {
  const present = input.subarray(at, at + length)
  return bytesToBigint(present) << BigInt(8 * (length - present.length))
}
