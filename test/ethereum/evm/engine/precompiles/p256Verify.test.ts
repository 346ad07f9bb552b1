import { p256 } from '@noble/curves/nist.js'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { bigintToBytes32, concatBytes, toWord } from '../../../../../src/base/bytes.ts'
import { runs } from '../../../../full.ts'
import { type ForkCase, forkCases, outcome, stockOutcome, variationsOf } from './stock.ts'

const AT = 0x100
const { Fn, Fp } = p256.Point
const word = bigintToBytes32

const valid = fc
  .record({
    hash: fc.oneof(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.constantFrom(word(0n), word(Fn.ORDER), word(2n ** 256n - 1n)),
    ),
    key: fc.bigInt(1n, Fn.ORDER - 1n),
    highS: fc.boolean(),
  })
  .map(({ hash, key, highS }) => {
    const { r, s } = p256.Signature.fromBytes(p256.sign(hash, word(key), { prehash: false, lowS: false }))
    const publicKey = p256.getPublicKey(word(key), false).subarray(1)
    return concatBytes(hash, word(r), word(highS ? Fn.ORDER - s : s), publicKey)
  })

const limit = fc.constantFrom(0n, 1n, Fn.ORDER - 1n, Fn.ORDER, Fp.ORDER - 1n, Fp.ORDER, 2n ** 256n - 1n)
/** Signatures in which one of the five words is at a limit. */
const atLimits = fc.tuple(valid, fc.nat(4), limit).map(([bytes, index, value]) => {
  const changed = bytes.slice()
  changed.set(word(value), 32 * index)
  return changed
})

describe('p256Verify', () => {
  let osaka: ForkCase
  beforeAll(async () => {
    osaka = (await forkCases()).find(({ fork }) => fork.osaka)!
  })

  it('gives what stock @ethereumjs gives', async () => {
    await fc.assert(
      fc.asyncProperty(variationsOf(fc.oneof(valid, atLimits)), async (input) => {
        expect(await outcome(osaka, AT, input)).toEqual(await stockOutcome(osaka, AT, input))
      }),
      runs(60, 300),
    )
  })

  it('gives 1 for a valid signature with s in either half, and nothing otherwise', async () => {
    await fc.assert(
      fc.asyncProperty(valid, fc.nat(159), async (input, at) => {
        expect(await outcome(osaka, AT, input)).toEqual({ gas: 6900, output: toWord(1) })
        const changed = input.slice()
        changed[at]! ^= 1
        expect(await outcome(osaka, AT, changed)).toEqual({ gas: 6900, output: '0x' })
      }),
      runs(20, 100),
    )
  })
})
