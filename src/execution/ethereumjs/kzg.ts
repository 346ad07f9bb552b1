/** KZG proofs for the point evaluation precompile (EIP-4844): verification alone, which needs one point of the setup. */
import type { KZG } from '@ethereumjs/util'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { hexToBytes } from '../../bytes.ts'
import type { Hex } from '../../types.ts'

/** [τ]₂ of the ceremony's trusted setup: the second of its monomial G2 points. */
const TAU_G2 =
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d' +
  '2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e2' +
  '3926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2'

const { G1, G2, fields } = bls12_381

/** What @ethereumjs' `0x0a` precompile calls; blobs themselves are not handled here. */
export function createKZG(): KZG {
  const tau = G2.Point.fromHex(TAU_G2)
  return {
    verifyProof(commitment: Hex, z: Hex, y: Hex, proof: Hex): boolean {
      const c = parseG1(commitment)
      const pi = parseG1(proof)
      const at = parseScalar(z)
      const value = parseScalar(y)
      // e(C - [y]₁, [1]₂) = e(π, [τ - z]₂), as one product of pairings.
      const left = c.subtract(multiply(G1.Point.BASE, value))
      const right = tau.subtract(multiply(G2.Point.BASE, at))
      const pairs = [
        { g1: left.negate(), g2: G2.Point.BASE },
        { g1: pi, g2: right },
      ].filter(({ g1, g2 }) => !g1.is0() && !g2.is0())
      if (pairs.length === 0) return true
      return fields.Fp12.eql(bls12_381.pairingBatch(pairs), fields.Fp12.ONE)
    },
  } as KZG
}

/** The reference library's name for inputs that are no points or scalars; the precompile looks for it. */
const BAD_ARGUMENTS = 'C_KZG_BADARGS'

function parseG1(hex: Hex) {
  try {
    const point = G1.Point.fromHex(hex.slice(2))
    if (!point.is0()) point.assertValidity()
    return point
  } catch {
    throw new RangeError(BAD_ARGUMENTS)
  }
}

function parseScalar(hex: Hex): bigint {
  const scalar = BigInt(hex)
  if (hexToBytes(hex).length !== 32 || scalar >= fields.Fr.ORDER) throw new RangeError(BAD_ARGUMENTS)
  return scalar
}

function multiply<Point extends { multiply(n: bigint): Point; subtract(p: Point): Point }>(
  point: Point,
  n: bigint,
): Point {
  return n === 0n ? point.subtract(point) : point.multiply(n)
}
