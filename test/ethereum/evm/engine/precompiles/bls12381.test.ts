import { bls12_381 } from '@noble/curves/bls12-381.js'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  bigintToBytes32,
  bytesToHex,
  concatBytes,
  hexToBytes,
  toWord,
} from '../../../../../src/base/bytes.ts'
import { runs } from '../../../../full.ts'
import {
  type ForkCase,
  forkCases,
  type Outcome,
  outcome,
  refusal,
  stockOutcome,
  variationsOf,
} from './stock.ts'

const G1_ADD = 0x0b
const G1_MSM = 0x0c
const G2_ADD = 0x0d
const G2_MSM = 0x0e
const PAIRING = 0x0f
const MAP_TO_G1 = 0x10
const MAP_TO_G2 = 0x11

const G1 = bls12_381.G1.Point
const G2 = bls12_381.G2.Point
const { Fp, Fp2, Fr } = bls12_381.fields
type G1Point = InstanceType<typeof G1>
type G2Point = InstanceType<typeof G2>

const word = bigintToBytes32
const element = (n: bigint): Uint8Array => hexToBytes(`0x${n.toString(16).padStart(128, '0')}`)

function encodeG1(point: G1Point): Uint8Array {
  const { x, y } = point.toAffine()
  return concatBytes(element(x), element(y))
}

function encodeG2(point: G2Point): Uint8Array {
  const { x, y } = point.toAffine()
  return concatBytes(...[x.c0, x.c1, y.c0, y.c1].map(element))
}

/** The points at these coordinates, if the right side of the curve's equation is a square. */
function pointsAt<Coordinate, Point>(
  coordinates: readonly Coordinate[],
  rootAt: (x: Coordinate) => Coordinate,
  toPoint: (x: Coordinate, y: Coordinate) => Point,
): Point[] {
  return coordinates.flatMap((x) => {
    try {
      return [toPoint(x, rootAt(x))]
    } catch {
      // Not a square.
      return []
    }
  })
}

const small = Array.from({ length: 40 }, (_, i) => BigInt(i))
/** Points of the curves outside the subgroups, which are a small part of them. */
const outsideG1 = pointsAt(
  small,
  (x) => Fp.sqrt(Fp.add(Fp.pow(x, 3n), G1.CURVE().b)),
  (x, y) => G1.fromAffine({ x, y }),
)
const outsideG2 = pointsAt(
  small.map((c0) => ({ c0, c1: 1n })),
  (x) => Fp2.sqrt(Fp2.add(Fp2.pow(x, 3n), G2.CURVE().b)),
  (x, y) => G2.fromAffine({ x, y }),
)

const factor = fc.oneof(
  fc.bigInt(0n, 40n),
  fc.constantFrom(Fr.ORDER - 1n, Fr.ORDER, Fr.ORDER + 1n, 2n ** 256n - 1n),
  fc.bigInt(0n, 2n ** 256n - 1n),
)
const scalar = factor.map(word)
const limit = fc
  .constantFrom(0n, 1n, Fp.ORDER - 1n, Fp.ORDER, Fp.ORDER + 1n, 2n ** 384n, 2n ** 511n)
  .map(element)

const inG1 = fc.bigInt(0n, 30n).map((k) => encodeG1(G1.BASE.multiplyUnsafe(k)))
const inG2 = fc.bigInt(0n, 30n).map((k) => encodeG2(G2.BASE.multiplyUnsafe(k)))
const g1 = fc.oneof(
  { weight: 8, arbitrary: inG1 },
  { weight: 1, arbitrary: fc.constantFrom(...outsideG1).map(encodeG1) },
  { weight: 1, arbitrary: fc.tuple(limit, limit).map((parts) => concatBytes(...parts)) },
)
const g2 = fc.oneof(
  { weight: 8, arbitrary: inG2 },
  { weight: 1, arbitrary: fc.constantFrom(...outsideG2).map(encodeG2) },
  { weight: 1, arbitrary: fc.tuple(limit, limit, limit, limit).map((parts) => concatBytes(...parts)) },
)
const field = fc.oneof(fc.bigInt(0n, Fp.ORDER - 1n).map(element), limit)

/** Pairs whose pairings cancel out: (aP, bQ), (-abP, Q). */
const cancelling = fc.tuple(fc.bigInt(1n, 1000n), fc.bigInt(1n, 1000n)).map(([a, b]) => {
  const ab = G1.BASE.multiplyUnsafe(a * b).negate()
  return [
    concatBytes(encodeG1(G1.BASE.multiplyUnsafe(a)), encodeG2(G2.BASE.multiplyUnsafe(b))),
    concatBytes(encodeG1(ab), encodeG2(G2.BASE)),
  ]
})

const INPUTS: readonly (readonly [name: string, at: number, parts: fc.Arbitrary<Uint8Array[]>])[] = [
  ['g1Add', G1_ADD, fc.tuple(g1, g1)],
  ['g2Add', G2_ADD, fc.tuple(g2, g2)],
  [
    'g1Msm',
    G1_MSM,
    fc.array(
      fc.tuple(g1, scalar).map((term) => concatBytes(...term)),
      { maxLength: 4 },
    ),
  ],
  [
    'g2Msm',
    G2_MSM,
    fc.array(
      fc.tuple(g2, scalar).map((term) => concatBytes(...term)),
      { maxLength: 4 },
    ),
  ],
  [
    'pairing',
    PAIRING,
    fc.oneof(
      fc.array(
        fc.tuple(g1, g2).map((pair) => concatBytes(...pair)),
        { maxLength: 3 },
      ),
      cancelling,
    ),
  ],
  ['mapFpToG1', MAP_TO_G1, fc.tuple(field)],
  ['mapFp2ToG2', MAP_TO_G2, fc.tuple(field, field)],
]

describe('bls12381', () => {
  let forks: readonly ForkCase[]
  let prague: ForkCase
  beforeAll(async () => {
    forks = (await forkCases()).filter(({ fork }) => fork.prague)
    prague = forks[0]!
  })

  it.each(INPUTS)('gives what stock @ethereumjs gives: %s', async (_name, at, parts) => {
    const inputs = variationsOf(parts.map((all) => concatBytes(...all)))
    await fc.assert(
      fc.asyncProperty(inputs, async (data) => {
        const expected = await stockOutcome(prague, at, data)
        for (const fork of forks) expect(await outcome(fork, at, data)).toEqual(expected)
      }),
      runs(6, 100),
    )
  })

  it.each([
    ['g1Add', G1_ADD, outsideG1.slice(0, 2).map(encodeG1), 375],
    ['g2Add', G2_ADD, outsideG2.slice(0, 2).map(encodeG2), 600],
  ])('adds points outside the subgroup: %s', async (_name, at, points, gas) => {
    const result = await outcome(prague, at, concatBytes(...points))
    expect(result).toEqual(await stockOutcome(prague, at, concatBytes(...points)))
    expect(result).toMatchObject({ gas })
  })

  it('sums any number of products', async () => {
    const counts = fc.constantFrom(1, 2, 15, 16, 17, 32, 33, 129)
    await fc.assert(
      fc.asyncProperty(counts, fc.boolean(), async (count, onG1) => {
        const encoded = (k: bigint): Uint8Array =>
          onG1 ? encodeG1(G1.BASE.multiplyUnsafe(k)) : encodeG2(G2.BASE.multiplyUnsafe(k))
        let sum = 0n
        const terms: Uint8Array[] = []
        for (let i = 1n; i <= count; i++) {
          // Few points, with large factors.
          const k = i % 5n
          const times = Fr.ORDER - (i ** 40n % Fr.ORDER)
          sum = Fr.add(sum, Fr.mul(k, times))
          terms.push(concatBytes(encoded(k), word(times)))
        }
        const result = await outcome(prague, onG1 ? G1_MSM : G2_MSM, concatBytes(...terms))
        expect(result).toMatchObject({ output: bytesToHex(encoded(sum)) })
      }),
      runs(1, 8),
    )
  })

  it.each([
    ['g1Msm', G1_MSM, 160],
    ['g2Msm', G2_MSM, 288],
  ])(
    'costs what it costs in stock @ethereumjs, for any number of products: %s',
    async (_name, at, length) => {
      const gasOf = (one: Outcome): unknown => (one === 'failure' ? one : one.gas)
      const infinities = Array.from({ length: 140 }, (_, i) => new Uint8Array(length * (i + 1)))
      const gas = infinities.map((data) => prague.precompiles.get(at)!.gas(data))
      const stocks = await Promise.all(infinities.map((data) => stockOutcome(prague, at, data)))
      expect(gas).toEqual(stocks.map(gasOf))
    },
  )

  it('finds that pairings cancel out, and that they do not', async () => {
    await fc.assert(
      fc.asyncProperty(cancelling, async ([first, second]) => {
        const [passed, failed] = await Promise.all([
          outcome(prague, PAIRING, concatBytes(first!, second!)),
          outcome(prague, PAIRING, concatBytes(first!, first!)),
        ])
        expect([passed, failed]).toEqual([
          { gas: 102_900, output: toWord(1) },
          { gas: 102_900, output: toWord(0) },
        ])
      }),
      runs(3, 20),
    )
    // More than are computed together, with one in between that is one.
    const [first, second] = fc.sample(cancelling, 1)[0]!
    const infinity = concatBytes(new Uint8Array(128), encodeG2(G2.BASE))
    const many = [first!, first!, second!, infinity, first!, second!, second!, first!, first!]
    const [failed, passed] = [many, [...many, second!, second!]].map((pairs) =>
      outcome(prague, PAIRING, concatBytes(...pairs)),
    )
    expect([await failed, await passed]).toEqual([
      { gas: 37_700 + 9 * 32_600, output: toWord(0) },
      { gas: 37_700 + 11 * 32_600, output: toWord(1) },
    ])
    // Pairings with infinity are one.
    const infinities = concatBytes(
      new Uint8Array(128),
      encodeG2(G2.BASE),
      encodeG1(G1.BASE),
      new Uint8Array(256),
    )
    expect(await outcome(prague, PAIRING, infinities)).toEqual({ gas: 102_900, output: toWord(1) })
  })

  it('names what is wrong as go-ethereum does', async () => {
    const zeros = (count: number): Uint8Array => new Uint8Array(count)
    const [p, q] = [encodeG1(outsideG1[0]!), encodeG2(outsideG2[0]!)]
    const cases: readonly (readonly [at: number, data: Uint8Array, reason: string])[] = [
      ...[G1_ADD, G1_MSM, G2_ADD, G2_MSM, PAIRING, MAP_TO_G1, MAP_TO_G2].flatMap(
        (at) =>
          [
            [at, zeros(0), 'invalid input length'],
            [at, zeros(161), 'invalid input length'],
          ] as const,
      ),
      [G1_ADD, concatBytes(zeros(128), element(2n ** 400n), element(0n)), 'invalid field element top bytes'],
      [G1_ADD, concatBytes(zeros(128), element(0n), element(Fp.ORDER)), 'invalid fp.Element encoding'],
      [G1_ADD, concatBytes(element(1n), zeros(192)), 'invalid point: not on curve'],
      [G2_ADD, concatBytes(zeros(448), element(Fp.ORDER)), 'invalid fp.Element encoding'],
      [G2_ADD, concatBytes(element(1n), zeros(448)), 'invalid point: not on curve'],
      [G1_MSM, concatBytes(p, word(0n)), 'g1 point is not on correct subgroup'],
      [G2_MSM, concatBytes(q, word(0n)), 'g2 point is not on correct subgroup'],
      [PAIRING, concatBytes(p, q), 'g1 point is not on correct subgroup'],
      [PAIRING, concatBytes(zeros(128), q), 'g2 point is not on correct subgroup'],
      [PAIRING, concatBytes(p, element(1n), zeros(192)), 'invalid point: not on curve'],
      [MAP_TO_G1, element(Fp.ORDER), 'invalid fp.Element encoding'],
      [MAP_TO_G2, concatBytes(element(0n), element(2n ** 384n)), 'invalid field element top bytes'],
    ]
    const reasons = await Promise.all(cases.map(([at, data]) => refusal(prague.precompiles, at, data)))
    expect(reasons).toEqual(cases.map(([, , reason]) => reason))
  })
})
