import { secp256k1 } from '@noble/curves/secp256k1.js'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { bigintToBytes32, concatBytes, toWord } from '../../../../../src/base/bytes.ts'
import { runs } from '../../../../full.ts'
import { type ForkCase, forkCases, outcome, stockOutcome, variationsOf } from './stock.ts'

const AT = 0x01
const ORDER = secp256k1.Point.Fn.ORDER
const word = bigintToBytes32

/** Valid signatures, with s in either half. */
const signed = fc
  .record({
    hash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
    key: fc.bigInt(1n, ORDER - 1n),
    highS: fc.boolean(),
  })
  .map(({ hash, key, highS }) => {
    const signature = secp256k1.sign(hash, word(key), { prehash: false, format: 'recovered' })
    const { r, s, recovery } = secp256k1.Signature.fromBytes(signature, 'recovered')
    const parity = recovery! & 1
    return concatBytes(
      hash,
      word(27n + BigInt(highS ? 1 - parity : parity)),
      word(r),
      word(highS ? ORDER - s : s),
    )
  })

const limit = fc.constantFrom(0n, 1n, 26n, 27n, 28n, 29n, ORDER - 1n, ORDER, ORDER + 1n, 2n ** 256n - 1n)
const atLimits = fc.tuple(limit, limit, limit, limit).map((words) => concatBytes(...words.map(word)))

describe('ecrecover', () => {
  let forks: readonly ForkCase[]
  beforeAll(async () => {
    forks = await forkCases()
  })

  async function compare(): Promise<void> {
    await fc.assert(
      fc.asyncProperty(variationsOf(fc.oneof(signed, atLimits)), async (input) => {
        const expected = await stockOutcome(forks[0]!, AT, input)
        for (const fork of forks) expect(await outcome(fork, AT, input)).toEqual(expected)
      }),
      runs(60, 300),
    )
  }

  it('gives what stock @ethereumjs gives, on every hardfork', compare)

  it('recovers the address of a known signature, and ignores what follows it', async () => {
    // The example of the Yellow Paper's client tests.
    const input = concatBytes(
      word(0x18c547e4f7b0f325ad1e56f57e26c745b09a3e503d86e00e5255ff7f715d3d1cn),
      word(28n),
      word(0x73b1693892219d736caba55bdb67216e485557ea6b6af75f37096c9aa6a5a75fn),
      word(0xeeb940b1d03b21e36b0e47e79769f095fe2ab855bd91e3a38756b7d75a9c4549n),
      Uint8Array.of(1, 2, 3),
    )
    const output = toWord(0xa94f5374fce5edbc8e2a8697c15331677e6ebf0bn)
    for (const fork of forks) expect(await outcome(fork, AT, input)).toEqual({ gas: 3000, output })
  })
})
