import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { concatBytes, hexToBytes } from '../../../../../src/base/bytes.ts'
import type { InParts } from '../../../../../src/ethereum/evm/engine/precompiles/precompile.ts'
import { runs } from '../../../../full.ts'
import { type ForkCase, forkCases, outcome, refusal, stockOutcome, toEnd } from './stock.ts'

const AT = 0x09

function input(rounds: number, rest: Uint8Array): Uint8Array {
  const head = new Uint8Array(4)
  new DataView(head.buffer).setUint32(0, rounds)
  return concatBytes(head, rest)
}

/** The state, the message "abc" and its length in EIP-152's test vectors. */
const ABC = hexToBytes(
  `0x48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5${[
    'd182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b',
    '616263',
    '00'.repeat(125),
    '03',
    '00'.repeat(15),
  ].join('')}`,
)
const FINAL = Uint8Array.of(1)

describe('blake2f', () => {
  let forks: readonly ForkCase[]
  beforeAll(async () => {
    forks = (await forkCases()).filter(({ fork }) => fork.istanbul)
  })

  it('gives what stock @ethereumjs gives, on every hardfork', async () => {
    const inputs = fc
      .record({
        rounds: fc.oneof(fc.nat(40), fc.constantFrom(1000, 2 ** 31, 2 ** 32 - 1)),
        rest: fc.uint8Array({ minLength: 208, maxLength: 208 }),
        final: fc.oneof(fc.constantFrom(0, 1), fc.nat(255)),
        length: fc.oneof({ weight: 4, arbitrary: fc.constant(213) }, { weight: 1, arbitrary: fc.nat(220) }),
      })
      .map(({ rounds, rest, final, length }) => {
        const whole = concatBytes(input(rounds, rest), Uint8Array.of(final), new Uint8Array(7))
        return whole.subarray(0, length)
      })
    await fc.assert(
      fc.asyncProperty(inputs, async (bytes) => {
        for (const fork of forks) {
          expect(await outcome(fork, AT, bytes)).toEqual(await stockOutcome(fork, AT, bytes))
        }
      }),
      runs(60, 1000),
    )
  })

  it.each([
    [
      0,
      '0x08c9bcf367e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d282e6ad7f520e511f6c3e2b8c68059b9442be0454267ce079217e1319cde05b',
    ],
    [
      12,
      '0xba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923',
    ],
  ] as const)("gives the output of EIP-152's vector of %d rounds", async (rounds, output) => {
    const bytes = concatBytes(input(rounds, ABC), FINAL)
    for (const fork of forks) expect(await outcome(fork, AT, bytes)).toEqual({ gas: rounds, output })
  })

  it('gives the same if another long computation is executed between its parts', () => {
    const { precompiles } = forks[0]!
    const start = (rounds: number, flag: number) =>
      precompiles.get(AT)!.run(concatBytes(input(rounds, ABC), Uint8Array.of(flag))) as InParts<Uint8Array>
    const alone = toEnd(start(150_000, 1))
    let parts = 0
    const other = start(2 ** 20, 0)
    const together = toEnd(start(150_000, 1), () => {
      other.next()
      parts += 1
    })
    expect(parts).toBe(2)
    expect(together).toEqual(alone)
  })

  it('refuses another length and another flag', async () => {
    const { precompiles } = forks[0]!
    const valid = concatBytes(input(1, ABC), FINAL)
    const reasons = [
      valid.subarray(1),
      concatBytes(valid, FINAL),
      concatBytes(input(1, ABC), Uint8Array.of(2)),
    ]
    expect(await Promise.all(reasons.map((bytes) => refusal(precompiles, AT, bytes)))).toEqual([
      'invalid input length',
      'invalid input length',
      'invalid final flag',
    ])
  })
})
