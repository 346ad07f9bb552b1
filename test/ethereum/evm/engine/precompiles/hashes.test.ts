import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { runs } from '../../../../full.ts'
import { type ForkCase, forkCases, outcome, stockOutcome } from './stock.ts'

let forks: readonly ForkCase[]
beforeAll(async () => {
  forks = await forkCases()
})

describe.each([
  ['sha256', 0x02],
  ['ripemd160', 0x03],
  ['identity', 0x04],
])('%s', (_name, at) => {
  it('gives what stock @ethereumjs gives, on every hardfork', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (input) => {
        for (const fork of forks) {
          expect(await outcome(fork, at, input)).toEqual(await stockOutcome(fork, at, input))
        }
      }),
      { ...runs(20, 300), examples: [[new Uint8Array(0)]] },
    )
  })
})
