/** Points of BLS12-381 as precompiles encode them (EIP-2537). Only ever imported lazily, for its size. */
import { interleavedMSMUnsafe } from '@noble/curves/abstract/curve.js'
import type { Fp2 } from '@noble/curves/abstract/tower.js'
import type { WeierstrassPoint, WeierstrassPointCons } from '@noble/curves/abstract/weierstrass.js'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bigintToBytes, bytesToBigint } from '../../../../base/bytes.ts'
import { Halt } from '../message.ts'
import { isProductOne, pointAt, toFieldElement } from './pairingCurve.ts'

const { Fp, Fr } = bls12_381.fields

// The library declares only the types that these maps are made of.
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
  /** The field elements of a coordinate, in order. */
  readonly elementsOf: (coordinate: Coordinate) => readonly bigint[]
  readonly map: (element: Coordinate) => WeierstrassPoint<Coordinate>
  readonly subgroupError: string
}

/** One of the two groups. All methods throw {@link Halt} if a point or element is invalid. */
class Group<Coordinate> {
  readonly #definition: GroupDefinition<Coordinate>

  constructor(definition: GroupDefinition<Coordinate>) {
    this.#definition = definition
  }

  /** Adds two points, which need not be in the subgroup. */
  add(a: Uint8Array, b: Uint8Array): Uint8Array {
    return this.#encode(this.toPoint(a).add(this.toPoint(b)))
  }

  /** Adds terms, each a point of the subgroup times an integer of any size. */
  *multiplyAndAdd(
    terms: readonly (readonly [point: Uint8Array, factor: Uint8Array])[],
  ): Generator<undefined, Uint8Array> {
    const { Point } = this.#definition
    let sum = Point.ZERO
    for (let at = 0; at < terms.length; at += BATCH) {
      const batch = terms.slice(at, at + BATCH)
      const points: WeierstrassPoint<Coordinate>[] = []
      for (const [bytes] of batch) {
        const point = this.toPoint(bytes)
        this.assertMember(point)
        points.push(point)
        yield
      }
      const factors = batch.map(([, factor]) => Fr.create(bytesToBigint(factor)))
      sum = sum.add(interleavedMSMUnsafe(Point, points, WINDOW)(factors))
      yield
    }
    return this.#encode(sum)
  }

  /** Maps a field element to a point of the subgroup (RFC 9380, sections 6.6.3 and 7). */
  fromElement(element: Uint8Array): Uint8Array {
    const { decode, map } = this.#definition
    return this.#encode(map(decode(element)))
  }

  /** Decodes a point on the curve, not necessarily in the subgroup. */
  toPoint(bytes: Uint8Array): WeierstrassPoint<Coordinate> {
    const { Point, decode } = this.#definition
    const half = bytes.length / 2
    const point = pointAt(Point, decode(bytes.subarray(0, half)), decode(bytes.subarray(half)))
    if (point === undefined) throw new Halt('invalid point: not on curve')
    return point
  }

  assertMember(point: WeierstrassPoint<Coordinate>): void {
    if (!point.is0() && !point.isTorsionFree()) throw new Halt(this.#definition.subgroupError)
  }

  #encode(point: WeierstrassPoint<Coordinate>): Uint8Array {
    const { x, y } = point.toAffine()
    const elements = [x, y].flatMap(this.#definition.elementsOf)
    const bytes = new Uint8Array(ELEMENT_LENGTH * elements.length)
    elements.forEach((element, i) => {
      const digits = bigintToBytes(element)
      bytes.set(digits, ELEMENT_LENGTH * (i + 1) - digits.length)
    })
    return bytes
  }
}

/** G1: points of 128 bytes, elements of 64. */
export const g1 = new Group<bigint>({
  Point: bls12_381.G1.Point,
  decode: toElement,
  elementsOf: (coordinate) => [coordinate],
  map: mapToG1,
  subgroupError: 'g1 point is not on correct subgroup',
})

/** G2: points of 256 bytes, elements of 128, the real part first. */
export const g2 = new Group<Fp2>({
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
export function pairing(
  pairs: readonly (readonly [Uint8Array, Uint8Array])[],
): Generator<undefined, boolean> {
  return isProductOne(bls12_381, decodePairs(pairs))
}

function* decodePairs(
  pairs: readonly (readonly [Uint8Array, Uint8Array])[],
): Generator<readonly [WeierstrassPoint<bigint>, WeierstrassPoint<Fp2>]> {
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
