import { bls12_381 } from '@noble/curves/bls12-381.js'
import { sha256 } from '@noble/hashes/sha2.js'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { bigintToBytes32, bytesToHex, concatBytes, hexToBytes } from '../../../../../src/base/bytes.ts'
import type { Hex } from '../../../../../src/base/types.ts'
import { POWERS_G1 } from '../../../../../src/ethereum/kzg.ts'
import { runs } from '../../../../full.ts'
import { type ForkCase, forkCases, outcome, refusal, stockOutcome, variationsOf } from './stock.ts'

const AT = 0x0a
const G1 = bls12_381.G1.Point
const { Fp, Fr } = bls12_381.fields
const word = bigintToBytes32

function versionedHash(commitment: Uint8Array): Uint8Array {
  const hash = sha256(commitment)
  hash[0] = 1
  return hash
}

function input(point: bigint, value: bigint, commitment: Uint8Array, proof: Uint8Array): Uint8Array {
  return concatBytes(versionedHash(commitment), word(point), word(value), commitment, proof)
}

/** [τ]₁ of the trusted setup, the commitment to the polynomial X. */
const TAU = G1.fromHex(POWERS_G1[1]!).toBytes()
const INFINITY = hexToBytes(`0xc0${'00'.repeat(47)}`)

/** Proofs of the polynomial kX + c at a point: the quotient is k. */
const valid = fc
  .tuple(fc.bigInt(0n, 1000n), fc.bigInt(0n, 1000n), fc.bigInt(0n, Fr.ORDER - 1n))
  .map(([k, c, point]) => {
    const commitment = G1.fromBytes(TAU).multiplyUnsafe(k).add(G1.BASE.multiplyUnsafe(c))
    const proof = G1.BASE.multiplyUnsafe(k)
    return input(point, Fr.add(Fr.mul(k, point), c), commitment.toBytes(), proof.toBytes())
  })

/** x of a point on the curve outside the subgroup, and an x without a point. */
function compressed(x: bigint): Uint8Array {
  const bytes = hexToBytes(`0x${x.toString(16).padStart(96, '0')}` as Hex)
  bytes[0]! |= 0x80
  return bytes
}

describe('pointEvaluation', () => {
  let forks: readonly ForkCase[]
  beforeAll(async () => {
    forks = (await forkCases()).filter(({ fork }) => fork.cancun)
  })

  it('gives what stock @ethereumjs gives, on every hardfork', async () => {
    const kept = fc.tuple(variationsOf(valid), fc.boolean()).map(([bytes, rehash]) => {
      if (!rehash || bytes.length < 144) return bytes
      const hashed = bytes.slice()
      hashed.set(versionedHash(bytes.subarray(96, 144)))
      return hashed
    })
    await fc.assert(
      fc.asyncProperty(kept, async (data) => {
        const expected = await stockOutcome(forks[0]!, AT, data)
        for (const fork of forks) expect(await outcome(fork, AT, data)).toEqual(expected)
      }),
      runs(3, 200),
    )
  })

  it('gives the constants of blobs for a valid proof', async () => {
    const data = input(5n, 5n, TAU, G1.BASE.toBytes())
    const output = bytesToHex(concatBytes(word(4096n), word(Fr.ORDER)))
    for (const fork of forks) expect(await outcome(fork, AT, data)).toEqual({ gas: 50_000, output })
    // The polynomial 0.
    expect(await outcome(forks[0]!, AT, input(5n, 0n, INFINITY, INFINITY))).toEqual({ gas: 50_000, output })
  })

  it('names what is wrong as go-ethereum does', async () => {
    const base = G1.BASE.toBytes()
    const wrongFlags = base.slice()
    wrongFlags[0]! |= 0x60
    const wrongInfinity = INFINITY.slice()
    wrongInfinity[47] = 1
    const uncompressed = base.slice()
    uncompressed[0]! &= 0x1f
    const verifying = (reason: string) => `error verifying kzg proof: ${reason}`
    const notCanonical = verifying('scalar is not canonical when interpreted as a big integer in big-endian')
    const cases: readonly (readonly [Uint8Array, string])[] = [
      [new Uint8Array(0), 'invalid input length'],
      [new Uint8Array(193), 'invalid input length'],
      [new Uint8Array(192), 'mismatched versioned hash'],
      [input(5n, 6n, TAU, base), verifying("can't verify opening proof")],
      [input(Fr.ORDER, 5n, TAU, base), notCanonical],
      [input(5n, Fr.ORDER + 5n, TAU, base), notCanonical],
      [input(5n, 5n, TAU, wrongFlags), verifying('invalid point encoding')],
      [input(5n, 5n, uncompressed, base), verifying('short buffer')],
      [input(5n, 5n, wrongInfinity, base), verifying('invalid infinity point encoding')],
      [input(5n, 5n, TAU, compressed(Fp.ORDER)), verifying('invalid fp.Element encoding')],
      [
        input(5n, 5n, compressed(1n), base),
        verifying("invalid compressed coordinate: square root doesn't exist"),
      ],
      [input(5n, 5n, TAU, compressed(4n)), verifying('invalid point: subgroup check failed')],
    ]
    const { precompiles } = forks[0]!
    const reasons = await Promise.all(cases.map(([data]) => refusal(precompiles, AT, data)))
    expect(reasons).toEqual(cases.map(([, reason]) => reason))
  })
})
