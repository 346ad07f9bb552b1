/** Points of BLS12-381 as precompiles encode them (EIP-2537). Only ever imported lazily, for its size. */
import { interleavedMSMUnsafe } from '@noble/curves/abstract/curve.js'
import type { Fp2 } from '@noble/curves/abstract/tower.js'
import type { WeierstrassPoint, WeierstrassPointCons } from '@noble/curves/abstract/weierstrass.js'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bigintToBytes, bytesToBigint } from '../../../../base/bytes.ts'
import { Halt } from '../message.ts'
import { isProductOne, type Pairs, pointAt, toFieldElement } from './pairingCurve.ts'

const { Fp, Fr } = bls12_381.fields

// The library declares the type of the functions that these maps wrap: the maps return points, not coordinates.
const mapToG1 = bls12_381.G1.mapToCurve as unknown as (element: bigint) => WeierstrassPoint<bigint>
const mapToG2 = bls12_381.G2.mapToCurve as unknown as (parts: bigint[]) => WeierstrassPoint<Fp2>

/** A field element has 64 bytes: zeros, then 48 bytes. */
const ELEMENT_LENGTH = 64
const ZEROS = 16
/** How many terms are multiplied together, and how many bits each of the interleaved windows has. */
const BATCH = 16
const WINDOW = 5

/** How a group encodes coordinates, and maps field elements to points. */
interface GroupDefinition<Coordinate> {
  readonly Point: WeierstrassPointCons<Coordinate>
  /** @throws Halt if the bytes are no element. */
  readonly decode: (bytes: Uint8Array) => Coordinate
  readonly elementsOf: (coordinate: Coordinate) => readonly bigint[]
  readonly map: (element: Coordinate) => WeierstrassPoint<Coordinate>
  readonly subgroupError: string
}

/** One of the two groups. All functions throw {@link Halt} if a point or element is invalid. */
function createGroup<Coordinate>(definition: GroupDefinition<Coordinate>) {
  const { Point, decode, elementsOf, map, subgroupError } = definition

  /** Decodes a point on the curve, not necessarily in the subgroup. */
  function toPoint(bytes: Uint8Array): WeierstrassPoint<Coordinate> {
    const half = bytes.length / 2
    const point = pointAt(Point, decode(bytes.subarray(0, half)), decode(bytes.subarray(half)))
    if (point === undefined) throw new Halt('invalid point: not on curve')
    return point
  }

  function assertMember(point: WeierstrassPoint<Coordinate>): void {
    if (!point.is0() && !point.isTorsionFree()) throw new Halt(subgroupError)
  }

  function encode(point: WeierstrassPoint<Coordinate>): Uint8Array {
    const { x, y } = point.toAffine()
    const elements = [x, y].flatMap(elementsOf)
    const bytes = new Uint8Array(ELEMENT_LENGTH * elements.length)
    for (const [i, element] of elements.entries()) {
      const digits = bigintToBytes(element)
      bytes.set(digits, ELEMENT_LENGTH * (i + 1) - digits.length)
    }
    return bytes
  }

  return {
    toPoint,
    assertMember,
    add: (a: Uint8Array, b: Uint8Array) => encode(toPoint(a).add(toPoint(b))),
    /** Maps a field element to a point of the subgroup (RFC 9380, sections 6.6.3 and 7). */
    fromElement: (element: Uint8Array) => encode(map(decode(element))),
    /** Adds terms, each a point of the subgroup times an integer of any size. */
    *multiplyAndAdd(terms: Pairs): Generator<undefined, Uint8Array> {
      let sum = Point.ZERO
      for (let at = 0; at < terms.length; at += BATCH) {
        const batch = terms.slice(at, at + BATCH)
        const points: WeierstrassPoint<Coordinate>[] = []
        for (const [bytes] of batch) {
          const point = toPoint(bytes)
          assertMember(point)
          points.push(point)
          yield
        }
        const factors = batch.map(([, factor]) => Fr.create(bytesToBigint(factor)))
        sum = sum.add(interleavedMSMUnsafe(Point, points, WINDOW)(factors))
        yield
      }
      return encode(sum)
    },
  }
}

/** G1: points of 128 bytes, elements of 64. */
export const g1 = createGroup<bigint>({
  Point: bls12_381.G1.Point,
  decode: toElement,
  elementsOf: (coordinate) => [coordinate],
  map: mapToG1,
  subgroupError: 'g1 point is not on correct subgroup',
})

/** G2: points of 256 bytes, elements of 128, the real part first. */
export const g2 = createGroup<Fp2>({
  Point: bls12_381.G2.Point,
  decode: (bytes) => ({
    c0: toElement(bytes.subarray(0, ELEMENT_LENGTH)),
    c1: toElement(bytes.subarray(ELEMENT_LENGTH)),
  }),
  elementsOf: ({ c0, c1 }) => [c0, c1],
  map: ({ c0, c1 }) => mapToG2([c0, c1]),
  subgroupError: 'g2 point is not on correct subgroup',
})

/** Whether the product of the pairings is one. @throws Halt if a point is invalid or not in its subgroup. */
export function pairing(pairs: Pairs): Generator<undefined, boolean> {
  return isProductOne(bls12_381, decodePairs(pairs))
}

function* decodePairs(pairs: Pairs): Generator<readonly [WeierstrassPoint<bigint>, WeierstrassPoint<Fp2>]> {
  for (const [first, second] of pairs) {
    const pair = [g1.toPoint(first), g2.toPoint(second)] as const
    g1.assertMember(pair[0])
    g2.assertMember(pair[1])
    yield pair
  }
}

function toElement(bytes: Uint8Array): bigint {
  if (bytes.subarray(0, ZEROS).some((byte) => byte !== 0)) throw new Halt('invalid field element top bytes')
  return toFieldElement(bytes.subarray(ZEROS), Fp.ORDER)
}
