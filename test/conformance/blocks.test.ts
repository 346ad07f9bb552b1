import { describe, expect, it } from 'vitest'
import { FULL } from '../full.ts'
import { runBlockTest } from './blockTestRunner.ts'
import { readBlockTests, sampleTests } from './blockTests.ts'
import { type Folder, type Sample, sampleFiles } from './folder.ts'
import { BLOCK_TESTS, SPEC_BLOCK_TESTS } from './served.ts'

/** A quarter of the files, since reading them takes as long, or half of them in a full run. */
const FILES: Sample = FULL ? [0, 2] : [2, 4]

/** Folders, the variable that names each, and which tests run; `npm run conformance:blocks` runs all. */
const SUITES: readonly {
  readonly suite: string
  readonly variable: string
  readonly folder: Folder | undefined
  readonly tests: Sample
}[] = [
  {
    suite: 'ethereum/tests',
    variable: 'PRESEAL_ETHEREUM_TESTS',
    folder: BLOCK_TESTS,
    tests: FULL ? [1, 4] : [5, 8],
  },
  {
    suite: 'execution-spec-tests',
    variable: 'PRESEAL_SPEC_TESTS',
    folder: SPEC_BLOCK_TESTS,
    tests: FULL ? [1, 4] : [5, 20],
  },
]

describe.each(SUITES)('the block tests of $suite', ({ variable, folder, tests }) => {
  if (folder === undefined) {
    it.skip(`give their heads, states and refusals: ${variable} names no folder`, () => {})
  } else {
    it('give their heads, states and refusals, and are simulated to the same blocks', async () => {
      const failures: string[] = []
      const sums = { tests: 0, refused: 0, simulated: 0 }
      for await (const test of sampleTests(readBlockTests(sampleFiles(folder, FILES)), tests)) {
        const { differences, counts } = await runBlockTest(test)
        failures.push(...differences.map((one) => `${test.name}: ${one}`))
        sums.tests += 1
        sums.refused += counts['blocks refused'] ?? 0
        sums.simulated += counts['blocks simulated'] ?? 0
      }
      expect(failures).toEqual([])
      expect(Math.min(...Object.values(sums))).toBeGreaterThan(0)
    })
  }
})
