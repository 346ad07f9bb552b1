import type { BlsCurvePair } from '@noble/curves/abstract/bls.js'
import type { WeierstrassPoint, WeierstrassPointCons } from '@noble/curves/abstract/weierstrass.js'
import { bytesToBigint } from '../../../../base/bytes.ts'
import { Halt } from '../message.ts'

/** How many pairings are computed together, in some milliseconds: this saves time per pair. */
const BATCH = 4

/** Two encodings each: points of G1 and G2, or points and factors. */
export type Pairs = readonly (readonly [Uint8Array, Uint8Array])[]

type G1Point = InstanceType<BlsCurvePair['G1']['Point']>
type G2Point = InstanceType<BlsCurvePair['G2']['Point']>

/** Decodes a big-endian field element. @throws Halt unless it is below `order`. */
export function toFieldElement(bytes: Uint8Array, order: bigint): bigint {
  const element = bytesToBigint(bytes)
  if (element >= order) throw new Halt('invalid fp.Element encoding')
  return element
}

/** The point at these coordinates, zeros for infinity; undefined if it is not on y² = x³ + b. */
export function pointAt<Coordinate>(
  Point: WeierstrassPointCons<Coordinate>,
  x: Coordinate,
  y: Coordinate,
): WeierstrassPoint<Coordinate> | undefined {
  const { Fp } = Point
  const isInfinity = Fp.is0(x) && Fp.is0(y)
  const isOnCurve = Fp.eql(Fp.sqr(y), Fp.add(Fp.mul(Fp.sqr(x), x), Point.CURVE().b))
  return isInfinity || isOnCurve ? Point.fromAffine({ x, y }) : undefined
}

/** Whether the product of the pairings is one. The points must be in their subgroups. */
export function* isProductOne(
  curve: BlsCurvePair,
  pairs: Iterable<readonly [G1Point, G2Point]>,
): Generator<undefined, boolean> {
  const { millerLoopBatch, utils } = curve
  const { Fp12 } = curve.fields
  let product = Fp12.ONE
  let terms: Parameters<typeof millerLoopBatch>[0] = []
  for (const [g1, g2] of pairs) {
    yield
    // The pairing with infinity is one.
    if (g1.is0() || g2.is0()) continue
    const { x, y } = g1.toAffine()
    terms.push([utils.calcPairingPrecomputes(g2), x, y])
    if (terms.length < BATCH) continue
    product = Fp12.mul(product, millerLoopBatch(terms))
    terms = []
    yield
  }
  if (terms.length > 0) product = Fp12.mul(product, millerLoopBatch(terms))
  yield
  // `pairingBatch` would check the subgroups once more, which takes as long as the pairing.
  return Fp12.eql(Fp12.finalExponentiate(product), Fp12.ONE)
}
