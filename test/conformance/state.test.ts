import { describe, expect, it } from 'vitest'
import { FULL } from '../full.ts'
import { STATE_TESTS } from './served.ts'
import { differenceOf, readStateTests, StateTestRunner, sampled } from './stateTests.ts'

/** One case in forty, or in ten in a full run; `npm run conformance:state` runs all of them. */
const SAMPLE = [4, FULL ? 10 : 40] as const

const folder = STATE_TESTS

describe('state tests', () => {
  if (folder === undefined) {
    it.skip('gives the states of ethereum/tests: PRESEAL_STATE_TESTS names no folder', () => {})
  } else {
    it('gives the states of ethereum/tests', async () => {
      const runner = await StateTestRunner.create()
      const failures: string[] = []
      let cases = 0
      for await (const test of sampled(readStateTests(folder), SAMPLE)) {
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
