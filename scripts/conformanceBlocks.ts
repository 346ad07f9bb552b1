/**
 * Runs block tests in the format of ethereum/tests, and prints those that differ:
 * `npm run conformance:blocks -- --dir DIR`; `--help` prints the options.
 */
import { runBlockTest } from '../test/conformance/blockTestRunner.ts'
import { readBlockTests, sampleTests } from '../test/conformance/blockTests.ts'
import { runStockBlocks } from '../test/conformance/stockBlockTest.ts'
import { diskFolder } from '../test/tools/diskFolder.ts'
import { type Report, type Run, runTests } from './testRuns.ts'

await runTests('conformance:blocks', import.meta.url, runBlockTests)

async function* runBlockTests(run: Run): AsyncGenerator<Report> {
  for await (const test of sampleTests(readBlockTests(diskFolder(run.dir)), run.sample)) {
    const { name, file, network: fork } = test
    if (!run.includes(name, fork) || !run.isMine()) continue
    const { differences, counts } = await runBlockTest(test, run.createEngine)
    if (differences.length === 0) yield { name, file, fork, counts }
    else {
      const report: Report = { name, file, fork, counts, difference: differences.join('\n  ') }
      yield run.stock ? { ...report, stock: (await runStockBlocks(test)) ?? 'passes' } : report
    }
  }
}
