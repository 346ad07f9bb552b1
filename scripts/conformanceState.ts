/**
 * Runs state tests in the format of ethereum/tests on every fork of each, and prints the cases that differ:
 * `npm run conformance:state -- --dir DIR`; `--help` prints the options.
 */
import { refusalKind } from '../test/conformance/refusals.ts'
import { StateTestRunner } from '../test/conformance/stateTestRunner.ts'
import {
  differenceOf,
  readStateTests,
  type StateTestCase,
  type StateTestOutcome,
  sampleCases,
} from '../test/conformance/stateTests.ts'
import { runStock } from '../test/conformance/stockStateTest.ts'
import { diskFolder } from '../test/tools/diskFolder.ts'
import { type Report, type Run, runTests } from './testRuns.ts'

await runTests('conformance:state', import.meta.url, runStateTests)

async function* runStateTests(run: Run): AsyncGenerator<Report> {
  const runner = await StateTestRunner.create(run.createEngine)
  for await (const test of sampleCases(readStateTests(diskFolder(run.dir)), run.sample)) {
    const { file, fork } = test
    const cases = test.cases.filter(({ name }) => run.includes(name, fork))
    if (cases.length === 0 || !run.isMine()) continue
    const started = runner.start(test)
    for (const one of cases) {
      const outcome = await started.run(one).catch(String)
      const report: Report = { name: one.name, file, fork, counts: countsOf(one, outcome) }
      const difference = differenceOf(one, outcome)
      if (difference === undefined) yield report
      else if (!run.stock) yield { ...report, difference }
      else {
        const theirs = differenceOf(one, await runStock(test, one).catch(String))
        yield { ...report, difference, stock: theirs ?? 'passes' }
      }
    }
  }
}

function countsOf(
  { expectException }: StateTestCase,
  outcome: StateTestOutcome | string,
): NonNullable<Report['counts']> {
  if (typeof outcome === 'string' || outcome.rejected === undefined) return {}
  return expectException === undefined ? {} : { [refusalKind(expectException, outcome.rejected)]: 1 }
}
