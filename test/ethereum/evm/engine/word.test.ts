import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bigintToBytes32, bytesToBigint, bytesToHex, concatBytes } from '../../../../src/base/bytes.ts'
import * as words from '../../../../src/ethereum/evm/engine/word.ts'
import {
  bytesToEvmWord,
  readPadded,
  readWord,
  toEvmWord,
  type Word,
  wordAt,
  writeWord,
} from '../../../../src/ethereum/evm/engine/word.ts'
import { runs } from '../../../full.ts'
import { BOUNDARIES, END, isCanonical } from './boundaryWords.ts'

/** A word of any length, often near a boundary. */
const anyWord: fc.Arbitrary<bigint> = fc.oneof(
  fc.constantFrom(...BOUNDARIES),
  fc
    .tuple(fc.constantFrom(...BOUNDARIES), fc.integer({ min: -3, max: 3 }))
    .map(([word, by]) => BigInt.asUintN(256, word + BigInt(by))),
  fc.integer({ min: 1, max: 256 }).chain((bits) => fc.bigInt(0n, 2n ** BigInt(bits) - 1n)),
)

const wrap = (n: bigint): bigint => ((n % END) + END) % END
const signed = (n: bigint): bigint => (n < 2n ** 255n ? n : n - END)
const flag = (condition: boolean): bigint => (condition ? 1n : 0n)

function power(base: bigint, exponent: bigint): bigint {
  if (exponent === 0n) return 1n
  const half = power((base * base) % END, exponent / 2n)
  return exponent % 2n === 1n ? (half * base) % END : half
}

/** The functions of one, two and three words, as the Yellow Paper defines them (appendix H.2; EIPs 145, 7939). */
const DEFINITIONS: Readonly<Record<string, (a: bigint, b: bigint, c: bigint) => bigint>> = {
  add: (a, b) => wrap(a + b),
  mul: (a, b) => wrap(a * b),
  sub: (a, b) => wrap(a - b),
  div: (a, b) => (b === 0n ? 0n : a / b),
  sdiv: (a, b) => (b === 0n ? 0n : wrap(signed(a) / signed(b))),
  mod: (a, b) => (b === 0n ? 0n : a % b),
  smod: (a, b) => (b === 0n ? 0n : wrap(signed(a) % signed(b))),
  addmod: (a, b, n) => (n === 0n ? 0n : (a + b) % n),
  mulmod: (a, b, n) => (n === 0n ? 0n : (a * b) % n),
  exp: power,
  signextend(size, a) {
    if (size > 30n) return a
    const values = 2n ** (8n * size + 8n)
    const low = a % values
    return low < values / 2n ? low : wrap(low - values)
  },
  byteLength: (a) => (a === 0n ? 0n : 1n + DEFINITIONS['byteLength']!(a / 256n, 0n, 0n)),
  lt: (a, b) => flag(a < b),
  slt: (a, b) => flag(signed(a) < signed(b)),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  not: (a) => END - 1n - a,
  byte: (index, a) => (index > 31n ? 0n : (a / 256n ** (31n - index)) % 256n),
  shl: (shift, a) => (shift > 255n ? 0n : wrap(a * 2n ** shift)),
  shr: (shift, a) => (shift > 255n ? 0n : a / 2n ** shift),
  sar: (shift, a) => wrap(signed(a) >> (shift > 255n ? 256n : shift)),
  clz: (a) => (a === 0n ? 256n : 256n - BigInt(a.toString(2).length)),
}

const FUNCTIONS = words as unknown as Readonly<Record<string, (...operands: Word[]) => Word>>
const NAMES = Object.keys(DEFINITIONS)
const arityOf = (name: string): number => FUNCTIONS[name]!.length

/** A line if a word is not the canonical form of an integer. */
function problemsOf(word: Word, n: bigint, origin = ''): string[] {
  return BigInt(word) === n && isCanonical(word) ? [] : [`${origin} ${typeof word} ${word}, not ${n}`]
}

/** A line if the result of a function is wrong. */
function problemsOfResult(name: string, operands: readonly bigint[]): string[] {
  const [a, b = 0n, c = 0n] = operands
  const result = FUNCTIONS[name]!(...operands.slice(0, arityOf(name)).map(toEvmWord))
  return problemsOf(result, DEFINITIONS[name]!(a!, b, c), `${name}(${operands}) =`)
}

describe('each function of words', () => {
  test('is defined here', () => {
    const conversions = ['toEvmWord', 'readWord', 'writeWord', 'bytesToEvmWord', 'wordAt', 'readPadded']
    expect([...NAMES, ...conversions].sort()).toEqual(Object.keys(words).sort())
  })

  test.each(NAMES.filter((name) => arityOf(name) < 3))('%s of all pairs of boundary words', (name) => {
    const seconds = arityOf(name) === 1 ? [0n] : BOUNDARIES
    expect(BOUNDARIES.flatMap((a) => seconds.flatMap((b) => problemsOfResult(name, [a, b])))).toEqual([])
  })

  test('of any words', () => {
    fc.assert(
      fc.property(fc.tuple(anyWord, anyWord, anyWord), (operands) => {
        expect(NAMES.flatMap((name) => problemsOfResult(name, operands))).toEqual([])
      }),
      runs(1500, 100_000),
    )
  })

  test('of a small word and one of any length, in either order', () => {
    const names = ['exp', 'signextend', 'byte', 'shl', 'shr', 'sar']
    fc.assert(
      fc.property(fc.bigInt(0n, 300n), anyWord, (a, b) => {
        const pairs = [
          [a, b],
          [b, a],
        ]
        expect(names.flatMap((name) => pairs.flatMap((pair) => problemsOfResult(name, pair)))).toEqual([])
      }),
      runs(500, 30_000),
    )
  })
})

describe('words and bytes', () => {
  test('a word of an integer is canonical', () => {
    expect(BOUNDARIES.flatMap((n) => problemsOf(toEvmWord(n), n))).toEqual([])
  })

  test('a word is written and read at any offset, and no other byte is changed', () => {
    fc.assert(
      fc.property(anyWord, fc.nat(70), fc.nat(255), (n, at, fill) => {
        const bytes = new Uint8Array(102).fill(fill)
        const expected = bytesToHex(concatBytes(bytes.slice(0, at), bigintToBytes32(n), bytes.slice(at + 32)))
        const view = new DataView(bytes.buffer)
        writeWord(view, at, toEvmWord(n))
        expect(bytesToHex(bytes)).toBe(expected)
        expect(problemsOf(readWord(view, at), n)).toEqual([])
      }),
      runs(500, 20_000),
    )
  })

  test('each boundary word is read as it was written', () => {
    const view = new DataView(new ArrayBuffer(33))
    const problems = BOUNDARIES.flatMap((n) => {
      writeWord(view, 1, toEvmWord(n))
      return problemsOf(readWord(view, 1), n)
    })
    expect(problems).toEqual([])
  })

  test('a word with one bit, or with the lowest one too, is canonical', () => {
    const bits = Array.from({ length: 256 }, (_, i) => 2n ** BigInt(i))
    const integers = bits.flatMap((n) => [n, n | 1n])
    expect(integers.flatMap((n) => problemsOf(bytesToEvmWord(bigintToBytes32(n)), n))).toEqual([])
  })

  test('bytes are a word of the same value, up to 32 of them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 32 }), (bytes) => {
        expect(problemsOf(bytesToEvmWord(bytes), bytesToBigint(bytes))).toEqual([])
        const within = concatBytes(Uint8Array.of(7), bytes, Uint8Array.of(9))
        expect(problemsOf(wordAt(within, 1, bytes.length), bytesToBigint(bytes))).toEqual([])
      }),
      runs(300, 10_000),
    )
  })

  test('a word is padded with zeros beyond the end of the bytes', () => {
    const offset = fc.oneof(fc.nat(110).map(BigInt), anyWord)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), offset, (bytes, from) => {
        const padded = new Uint8Array(32)
        if (from < 100n) padded.set(bytes.subarray(Number(from), Number(from) + 32))
        expect(problemsOf(readPadded(bytes, toEvmWord(from)), bytesToBigint(padded))).toEqual([])
      }),
      runs(500, 20_000),
    )
  })
})
