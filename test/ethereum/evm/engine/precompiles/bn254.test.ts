import { bn254 } from '@noble/curves/bn254.js'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { bigintToBytes32, concatBytes, toWord } from '../../../../../src/base/bytes.ts'
import { runs } from '../../../../full.ts'
import { type ForkCase, forkCases, outcome, refusal, stockOutcome, variationsOf } from './stock.ts'

const ADD = 0x06
const MUL = 0x07
const PAIRING = 0x08

const G1 = bn254.G1.Point
const G2 = bn254.G2.Point
const { Fp, Fp2, Fr } = bn254.fields
type G1Point = InstanceType<typeof G1>
type G2Point = InstanceType<typeof G2>

const word = bigintToBytes32

function encodeG1(point: G1Point): Uint8Array {
  const { x, y } = point.toAffine()
  return concatBytes(word(x), word(y))
}

function encodeG2(point: G2Point): Uint8Array {
  const { x, y } = point.toAffine()
  return concatBytes(...[x.c1, x.c0, y.c1, y.c0].map(word))
}

/** The first points of G2's curve outside its subgroup. */
const outside = Array.from({ length: 40 }, (_, i) => ({ c0: BigInt(i), c1: 1n })).flatMap((x) => {
  try {
    const y = Fp2.sqrt(Fp2.add(Fp2.pow(x, 3n), G2.CURVE().b))
    return [G2.fromAffine({ x, y })]
  } catch {
    // Not a square.
    return []
  }
})

const factor = fc.oneof(
  fc.bigInt(0n, 40n),
  fc.constantFrom(Fr.ORDER - 1n, Fr.ORDER, Fr.ORDER + 1n, 2n ** 256n - 1n),
  fc.bigInt(0n, 2n ** 256n - 1n),
)
const inG1 = factor.map((k) => G1.BASE.multiplyUnsafe(k % Fr.ORDER))
const inG2 = factor.map((k) => G2.BASE.multiplyUnsafe(k % Fr.ORDER))

const coordinate = fc.constantFrom(0n, 1n, Fp.ORDER - 1n, Fp.ORDER, Fp.ORDER + 1n, 2n ** 256n - 1n)
const atLimits = fc.tuple(coordinate, coordinate).map(([x, y]) => concatBytes(word(x), word(y)))
const g1 = fc.oneof({ weight: 6, arbitrary: inG1.map(encodeG1) }, { weight: 1, arbitrary: atLimits })
const g2 = fc.oneof(
  { weight: 6, arbitrary: inG2.map(encodeG2) },
  { weight: 1, arbitrary: fc.constantFrom(...outside).map(encodeG2) },
  { weight: 1, arbitrary: fc.tuple(atLimits, atLimits).map((parts) => concatBytes(...parts)) },
)

/** Pairs whose pairings cancel out: (aP, bQ), (-abP, Q). */
const cancelling = fc.tuple(fc.bigInt(1n, 1000n), fc.bigInt(1n, 1000n)).map(([a, b]) => {
  const ab = G1.BASE.multiplyUnsafe(a * b).negate()
  return [
    concatBytes(encodeG1(G1.BASE.multiplyUnsafe(a)), encodeG2(G2.BASE.multiplyUnsafe(b))),
    concatBytes(encodeG1(ab), encodeG2(G2.BASE)),
  ]
})
const pairs = fc.oneof(
  fc.array(
    fc.tuple(g1, g2).map((pair) => concatBytes(...pair)),
    { maxLength: 3 },
  ),
  cancelling,
)

describe('bn254', () => {
  /** Those that differ. */
  let byzantium: ForkCase
  let istanbul: ForkCase
  beforeAll(async () => {
    const forks = await forkCases()
    byzantium = forks.find(({ name }) => name === 'byzantium')!
    istanbul = forks.find(({ name }) => name === 'istanbul')!
  })

  async function expectStock(at: number, data: Uint8Array): Promise<void> {
    expect(await outcome(byzantium, at, data)).toEqual(await stockOutcome(byzantium, at, data))
    expect(await outcome(istanbul, at, data)).toEqual(await stockOutcome(istanbul, at, data))
  }

  it.each([
    ['add', ADD, fc.tuple(g1, g1)],
    ['mul', MUL, fc.tuple(g1, factor.map(word))],
    ['pairing', PAIRING, pairs],
  ] as const)('gives what stock @ethereumjs gives: %s', async (_name, at, parts) => {
    const inputs = (parts as fc.Arbitrary<Uint8Array[]>).map((all) => concatBytes(...all))
    await fc.assert(
      fc.asyncProperty(variationsOf(inputs), (data) => expectStock(at, data)),
      at === PAIRING ? runs(6, 150) : runs(30, 300),
    )
  })

  it('finds that pairings cancel out, and that they do not', async () => {
    const passed = { gas: 113_000, output: toWord(1) }
    const failed = { gas: 113_000, output: toWord(0) }
    await fc.assert(
      fc.asyncProperty(cancelling, async ([first, second]) => {
        expect(await outcome(istanbul, PAIRING, concatBytes(first!, second!))).toEqual(passed)
        expect(await outcome(istanbul, PAIRING, concatBytes(first!, first!))).toEqual(failed)
      }),
      runs(3, 50),
    )
    expect(await outcome(istanbul, PAIRING, new Uint8Array(0))).toEqual({ gas: 45_000, output: toWord(1) })
    // More than are computed together, with one in between that is one.
    const [first, second] = fc.sample(cancelling, 1)[0]!
    const infinity = concatBytes(new Uint8Array(64), encodeG2(G2.BASE))
    const many = [first!, first!, second!, infinity, first!, second!, second!, first!, first!]
    expect(await outcome(istanbul, PAIRING, concatBytes(...many))).toEqual({
      gas: 45_000 + 9 * 34_000,
      output: toWord(0),
    })
    expect(await outcome(istanbul, PAIRING, concatBytes(...many, second!, second!))).toEqual({
      gas: 45_000 + 11 * 34_000,
      output: toWord(1),
    })
    // Pairings with infinity are one.
    const infinities = concatBytes(encodeG1(G1.BASE), new Uint8Array(128 + 64), encodeG2(G2.BASE))
    expect(await outcome(istanbul, PAIRING, infinities)).toEqual(passed)
  })

  it('takes the same gas since Istanbul as on Osaka', async () => {
    const osaka = (await forkCases()).find(({ name }) => name === 'osaka')!
    const gasOn = ({ precompiles }: ForkCase) =>
      [ADD, MUL, PAIRING].map((at) => precompiles.get(at)!.gas(new Uint8Array(400)))
    expect(gasOn(byzantium)).toEqual([500, 40_000, 260_000])
    expect(gasOn(istanbul)).toEqual([150, 6000, 113_000])
    expect(gasOn(osaka)).toEqual(gasOn(istanbul))
  })

  it('names what is wrong as go-ethereum does', async () => {
    const { precompiles } = istanbul
    const base = encodeG1(G1.BASE)
    const reasons = await Promise.all(
      (
        [
          [ADD, concatBytes(base, word(Fp.ORDER), word(2n))],
          [ADD, concatBytes(word(1n), word(1n))],
          [MUL, concatBytes(word(1n), word(Fp.ORDER))],
          [MUL, concatBytes(word(0n), word(1n))],
          [PAIRING, new Uint8Array(191)],
          [PAIRING, concatBytes(base, word(0n), word(0n), word(Fp.ORDER), word(0n))],
          [PAIRING, concatBytes(base, word(0n), word(0n), word(0n), word(1n))],
          [PAIRING, concatBytes(base, encodeG2(outside[0]!))],
        ] as const
      ).map(([at, data]) => refusal(precompiles, at, data)),
    )
    expect(reasons).toEqual([
      'invalid fp.Element encoding',
      'point is not on curve',
      'invalid fp.Element encoding',
      'point is not on curve',
      'bad elliptic curve pairing size',
      'invalid fp.Element encoding',
      'point is not on curve',
      'point is not in correct subgroup',
    ])
  })
})
