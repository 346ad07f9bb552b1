import { describe, expect, it } from 'vitest'
import { FULL } from '../full.ts'
import { type Folder, type Sample, sampleFiles } from './folder.ts'
import { SPEC_STATE_TESTS, STATE_TESTS } from './served.ts'
import { StateTestRunner } from './stateTestRunner.ts'
import { differenceOf, readStateTests, sampleCases } from './stateTests.ts'

/**
 * One case in forty, of a quarter of the files, since reading them takes as long; in a full run one in ten.
 * `npm run conformance:state` runs all of them.
 */
const [FILES, CASES]: readonly [Sample, Sample] = FULL
  ? [
      [0, 2],
      [4, 5],
    ]
  : [
      [2, 4],
      [0, 10],
    ]

const SUITES: readonly (readonly [suite: string, variable: string, folder: Folder | undefined])[] = [
  ['ethereum/tests', 'PRESEAL_STATE_TESTS', STATE_TESTS],
  ['execution-spec-tests', 'PRESEAL_SPEC_TESTS', SPEC_STATE_TESTS],
]

describe.each(SUITES)('the state tests of %s', (_suite, variable, folder) => {
  if (folder === undefined) {
    it.skip(`give their states on each fork: ${variable} names no folder`, () => {})
  } else {
    it('give their states on each fork', async () => {
      const runner = await StateTestRunner.create()
      const failures: string[] = []
      let cases = 0
      for await (const test of sampleCases(readStateTests(sampleFiles(folder, FILES)), CASES)) {
        const started = runner.start(test)
        for (const one of test.cases) {
          cases += 1
          const difference = differenceOf(one, await started.run(one))
          if (difference !== undefined) failures.push(`${one.name}: ${difference}`)
        }
      }
      expect(failures).toEqual([])
      expect(cases).toBeGreaterThan(0)
    })
  }
})
