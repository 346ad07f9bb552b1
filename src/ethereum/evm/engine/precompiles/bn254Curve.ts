/** Points of bn254 as precompiles encode them (EIPs 196, 197). Only ever imported lazily, for its size. */
import { bn254 } from '@noble/curves/bn254.js'
import { bigintToBytes32, bytesToBigint, concatBytes } from '../../../../base/bytes.ts'
import { Halt } from '../message.ts'
import { isProductOne, type Pairs, pointAt, toFieldElement } from './pairingCurve.ts'

const G1 = bn254.G1.Point
const G2 = bn254.G2.Point
const { Fp, Fr } = bn254.fields

type G1Point = InstanceType<typeof G1>
type G2Point = InstanceType<typeof G2>

/** Adds two points of 64 bytes. @throws Halt if one is invalid. */
export function add(a: Uint8Array, b: Uint8Array): Uint8Array {
  return encode(toG1(a).add(toG1(b)))
}

/** Multiplies a point of 64 bytes by an integer of any size. @throws Halt if the point is invalid. */
export function multiply(point: Uint8Array, factor: Uint8Array): Uint8Array {
  return encode(toG1(point).multiplyUnsafe(Fr.create(bytesToBigint(factor))))
}

/** Whether the pairings of points, of 64 and 128 bytes, multiply to one. @throws Halt if a point is invalid. */
export function pairing(pairs: Pairs): Generator<undefined, boolean> {
  return isProductOne(bn254, decodePairs(pairs))
}

function* decodePairs(pairs: Pairs): Generator<readonly [G1Point, G2Point]> {
  for (const [g1, g2] of pairs) yield [toG1(g1), toG2(g2)]
}

function coordinate(bytes: Uint8Array, index: number): bigint {
  return toFieldElement(bytes.subarray(32 * index, 32 * index + 32), Fp.ORDER)
}

function toG1(bytes: Uint8Array): G1Point {
  const point = pointAt(G1, coordinate(bytes, 0), coordinate(bytes, 1))
  if (point === undefined) throw new Halt('point is not on curve')
  return point
}

/** The imaginary parts come first. */
function toG2(bytes: Uint8Array): G2Point {
  const x = { c1: coordinate(bytes, 0), c0: coordinate(bytes, 1) }
  const y = { c1: coordinate(bytes, 2), c0: coordinate(bytes, 3) }
  const point = pointAt(G2, x, y)
  if (point === undefined) throw new Halt('point is not on curve')
  if (!point.isTorsionFree()) throw new Halt('point is not in correct subgroup')
  return point
}

function encode(point: G1Point): Uint8Array {
  const { x, y } = point.toAffine()
  return concatBytes(bigintToBytes32(x), bigintToBytes32(y))
}
