import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { loadCrypto } from '../../../../src/base/crypto/crypto.ts'
import { EVM_FORKS } from '../../../forks.ts'
import { FULL, runs } from '../../../full.ts'
import { createEngines } from '../comparison.ts'
import { compileEverything } from '../jit/compiling.ts'
import { compare } from '../random/differences.ts'
import { plan } from '../random/executions.ts'

const RUNS = runs(12, 400)

describe('random programs', () => {
  test.each(EVM_FORKS)('do the same as on @ethereumjs on %s, and many of them succeed', async (fork) => {
    const crypto = await loadCrypto()
    const engines = createEngines(crypto)
    const counts = { executed: 0, succeeded: 0 }
    await fc.assert(
      // Without a bias to short programs, which would be most of so few.
      fc.asyncProperty(fc.noBias(plan(fork, crypto)), async (one) => {
        const { succeeded, difference } = await compare(fork, one, engines, crypto)
        expect(difference).toBeUndefined()
        counts.executed += 1
        if (succeeded) counts.succeeded += 1
      }),
      { ...RUNS, seed: RUNS.seed + EVM_FORKS.indexOf(fork), endOnFailure: !FULL },
    )
    expect(counts.executed).toBe(RUNS.numRuns)
    // Six of ten on average, on the forks with the fewest; for 30 runs this is three standard deviations less.
    expect(counts.succeeded).toBeGreaterThan(0.3 * RUNS.numRuns)
  })

  test('do the same as on @ethereumjs if all their code is compiled to WebAssembly', async () => {
    onTestFinished(compileEverything())
    const crypto = await loadCrypto()
    const engines = createEngines(crypto)
    await fc.assert(
      fc.asyncProperty(
        fc
          .constantFrom(...EVM_FORKS)
          .chain((fork) => fc.tuple(fc.constant(fork), fc.noBias(plan(fork, crypto)))),
        async ([fork, one]) => {
          expect((await compare(fork, one, engines, crypto)).difference).toBeUndefined()
        },
      ),
      { ...runs(8, 400), endOnFailure: !FULL },
    )
  })
})
