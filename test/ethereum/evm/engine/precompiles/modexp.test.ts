import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  bigintToBytes,
  bigintToBytes32,
  bytesToBigint,
  bytesToHex,
  concatBytes,
} from '../../../../../src/base/bytes.ts'
import { modularPower } from '../../../../../src/ethereum/evm/engine/precompiles/modexp.ts'
import { runs } from '../../../../full.ts'
import { type ForkCase, forkCases, outcome, refusal, stockOutcome, toEnd, variationsOf } from './stock.ts'

const AT = 0x05
const word = bigintToBytes32

/** The input with these lengths, which need not be those of the data. */
function input(lengths: readonly bigint[], ...data: readonly Uint8Array[]): Uint8Array {
  return concatBytes(...lengths.map(word), ...data)
}

function wellFormed(...parts: readonly Uint8Array[]): Uint8Array {
  return input(
    parts.map(({ length }) => BigInt(length)),
    ...parts,
  )
}

const powerOf = (...of: Parameters<typeof modularPower>): bigint => toEnd(modularPower(...of))

const bytes = (max: number): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    fc.uint8Array({ maxLength: max }),
    // Leading zeros, and integers of few bits.
    fc.tuple(fc.nat(max), fc.nat(0xffff)).map(([length, value]) => {
      const sparse = new Uint8Array(length)
      const digits = bigintToBytes(BigInt(value)).slice(-length)
      if (length > 0) sparse.set(digits, length - digits.length)
      return sparse
    }),
    fc.nat(max).map((length) => new Uint8Array(length).fill(0xff)),
  )

/** Lengths at the limits of prices and rules, and beyond all numbers. */
const length = fc.constantFrom(
  ...[0, 1, 8, 31, 32, 33, 64, 65, 1023, 1024, 1025].map(BigInt),
  ...[2n ** 31n, 2n ** 53n, 2n ** 64n - 1n, 2n ** 64n, 2n ** 255n, 2n ** 256n - 1n],
)

describe('modexp', () => {
  let forks: readonly ForkCase[]
  beforeAll(async () => {
    forks = (await forkCases()).filter(({ fork }) => fork.byzantium)
  })

  async function expectStock(data: Uint8Array): Promise<void> {
    for (const fork of forks) {
      expect([fork.name, await outcome(fork, AT, data)]).toEqual([
        fork.name,
        await stockOutcome(fork, AT, data),
      ])
    }
  }

  it('gives what stock @ethereumjs gives, on every hardfork', async () => {
    const inputs = fc.tuple(bytes(80), bytes(80), bytes(80)).map((parts) => wellFormed(...parts))
    await fc.assert(fc.asyncProperty(variationsOf(inputs), expectStock), runs(50, 3000))
  })

  it('gives what stock @ethereumjs gives for any lengths', async () => {
    const inputs = fc
      .tuple(length, length, length, fc.uint8Array({ maxLength: 200 }))
      .map(([base, exponent, modulus, data]) => input([base, exponent, modulus], data))
    await fc.assert(fc.asyncProperty(inputs, expectStock), runs(100, 5000))
  })

  it('computes the power of integers of any length', () => {
    const parts = fc.tuple(bytes(200), bytes(200), bytes(200), fc.nat(20))
    fc.assert(
      fc.property(parts, ([base, exponent, modulus, zeros]) => {
        const divisor = bytesToBigint(modulus) || 1n
        const whole = concatBytes(exponent, new Uint8Array(zeros))
        const expected = powerByBits(bytesToBigint(base), bytesToBigint(whole), divisor)
        expect(powerOf(bytesToBigint(base), exponent, 8 * whole.length, divisor)).toBe(expected)
      }),
      runs(50, 3000),
    )
    // Anything modulo one is zero.
    expect(powerOf(5n, new Uint8Array(0), 0, 1n)).toBe(0n)
    expect(powerOf(5n, Uint8Array.of(1), 8, 1n)).toBe(0n)
  })

  it('costs infinite gas for lengths beyond all gas', () => {
    const gasOf = (...lengths: readonly bigint[]) =>
      forks.map(({ precompiles }) => precompiles.get(AT)!.gas(input(lengths)))
    const infinite = forks.map(() => Number.POSITIVE_INFINITY)
    expect(gasOf(2n ** 256n - 1n, 1n, 1n)).toEqual(infinite)
    expect(gasOf(1n, 2n ** 256n - 1n, 1n)).toEqual(infinite)
    expect(gasOf(1n, 1n, 2n ** 256n - 1n)).toEqual(infinite)
    expect(gasOf(2n ** 64n, 0n, 0n)).toEqual(infinite)
  })

  it('gives nothing for a modulus without length, whatever the length of the exponent', async () => {
    const data = input([0n, 2n ** 256n - 1n, 0n])
    const outcomes = await Promise.all(forks.map((fork) => outcome(fork, AT, data)))
    expect(outcomes).toEqual(
      forks.map(({ fork }) => (fork.osaka ? 'failure' : { gas: fork.berlin ? 200 : 0, output: '0x' })),
    )
  })

  it('refuses lengths above 1024 bytes since Osaka', async () => {
    const lengths: readonly bigint[][] = [
      [1024n, 1024n, 1024n],
      [1025n, 0n, 0n],
      [0n, 1025n, 0n],
      [0n, 0n, 1025n],
    ]
    const reasonsOn = (name: string) =>
      Promise.all(
        lengths.map((three) =>
          refusal(forks.find((fork) => fork.name === name)!.precompiles, AT, input(three)),
        ),
      )
    const tooLong = 'one or more of base/exponent/modulus length exceeded 1024 bytes'
    expect(await reasonsOn('osaka')).toEqual([undefined, tooLong, tooLong, tooLong])
    expect(await reasonsOn('prague')).toEqual([undefined, undefined, undefined, undefined])
  })

  it('reads zeros beyond the input', async () => {
    // 3^(0x0100) mod 0x0500: exponent and modulus end beyond the input.
    const cases: readonly (readonly [Uint8Array, bigint])[] = [
      [input([1n, 2n, 2n], Uint8Array.of(3, 1)), 0n],
      [input([1n, 1n, 2n], Uint8Array.of(3, 5, 7)), 3n ** 5n],
      [input([2n, 1n, 2n], Uint8Array.of(3)), 0n],
    ]
    for (const [data, expected] of cases) {
      const output = bytesToHex(bigintToBytes32(expected).subarray(30))
      for (const fork of forks) expect(await outcome(fork, AT, data)).toMatchObject({ output })
      await expectStock(data)
    }
  })
})

/** By squaring at each bit. */
function powerByBits(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let power = 1n % modulus
  for (const bit of exponent.toString(2)) {
    power = (power * power) % modulus
    if (bit === '1') power = (power * base) % modulus
  }
  return power
}
