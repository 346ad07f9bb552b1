/** Random words, and ranges of memory. */
import fc from 'fast-check'
import { type Code, push } from '../programs.ts'
import type { Scope } from './scope.ts'

const MAX_WORD = 2n ** 256n - 1n

/** Words at which sizes, signs and the representation of words change. */
const EDGES: readonly bigint[] = [
  ...[0n, 1n, 2n, 31n, 32n, 33n, 255n, 256n, 257n, MAX_WORD, MAX_WORD - 1n],
  ...[26n, 27n, 31n, 32n, 52n, 53n, 63n, 64n, 128n, 160n, 255n].flatMap((n) => [
    2n ** n - 1n,
    2n ** n,
    2n ** n + 1n,
  ]),
  MAX_WORD - 2n ** 53n,
]

/** A word. */
export const word: fc.Arbitrary<bigint> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...EDGES) },
  { weight: 3, arbitrary: fc.nat(40).map(BigInt) },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.bigInt(0n, MAX_WORD), fc.nat(255)).map(([n, shift]) => n >> BigInt(shift)),
  },
)

/** The number of a slot: few of them, so that they meet. */
export const slot: fc.Arbitrary<Code> = fc.oneof(
  { weight: 12, arbitrary: fc.nat(3).map(push) },
  { weight: 1, arbitrary: fc.constantFrom(...EDGES).map(push) },
)

/** PUSH of a word, by any opcode that is wide enough for it. */
export function pushed({ fork }: Scope, words: fc.Arbitrary<bigint> = word): fc.Arbitrary<Code> {
  return fc.tuple(words, fc.oneof(fc.constant(0), fc.nat(32))).map(([value, width]) => {
    if (value === 0n && width === 0 && fork.shanghai) return '5f'
    const shortest = push(value).slice(2)
    const digits = shortest.padStart(2 * width, '0')
    return (0x5f + digits.length / 2).toString(16) + digits
  })
}

/** An offset in memory, or in bytes that are copied. */
const offset = fc.oneof({ weight: 4, arbitrary: fc.nat(70) }, { weight: 1, arbitrary: fc.nat(700) })

/** A size in bytes, up to `most`. */
const size = (most: number): fc.Arbitrary<number> =>
  fc.oneof({ weight: 1, arbitrary: fc.constant(0) }, { weight: 5, arbitrary: fc.nat(most) })

/** A range of memory, both of whose parts are code that pushes them. */
export interface Range {
  readonly offset: Code
  readonly size: Code
}

/** A range of memory; one in a thousand is so large that its frame runs out of gas. */
export function range({ isLimited }: Scope, most = 100): fc.Arbitrary<Range> {
  const usual = fc.tuple(offset, size(most)).map(([at, length]) => ({ offset: push(at), size: push(length) }))
  const empty = word.map((at) => ({ offset: push(at), size: push(0) }))
  const vast = fc.tuple(word, word).map(([at, length]) => ({ offset: push(at), size: push(length) }))
  return fc.oneof(
    { weight: 900, arbitrary: usual },
    { weight: 50, arbitrary: empty },
    { weight: isLimited ? 1 : 0, arbitrary: vast },
  )
}

/** The offset of a word in memory. */
export function memoryOffset({ isLimited }: Scope): fc.Arbitrary<Code> {
  return fc.oneof(
    { weight: 900, arbitrary: offset.map(push) },
    { weight: isLimited ? 1 : 0, arbitrary: word.map(push) },
  )
}

/** Where bytes are copied from, which may be beyond their end. */
export const source: fc.Arbitrary<Code> = fc.oneof(offset.map(push), word.map(push))
