/**
 * What a test with a chain costs under `preseal/vitest`, deployed to for each test and rolled back:
 * `npx tsx bench/perTest.ts`, from the repository root after a build.
 */
import { startVitest } from 'vitest/node'
import { isBuilt } from './load.ts'
import { median } from './measure.ts'
import { TESTS } from './perTest/suite.ts'
import { alignColumns, formatValue } from './table.ts'

const RUNS = 3
const SUITES = {
  without: 'no chain',
  fresh: 'a new chain, deployed to',
  rolledBack: 'one that was deployed to, rolled back',
}

if (!isBuilt()) throw new Error('dist/index.js is missing: run `npm run build` first')
const times: Record<string, number[]> = {}
for (let run = 0; run < RUNS; run++) {
  const vitest = await startVitest('test', [], {
    config: false,
    watch: false,
    include: ['bench/perTest/*.test.ts'],
    fileParallelism: false,
    // One that tells nothing; without any there is the default one.
    reporters: [{}],
    // As a user has it, whose packages vitest leaves untouched.
    server: { deps: { external: [/\/dist\//] } },
  })
  for (const module of vitest.state.getTestModules()) {
    if (!module.ok()) throw new Error(`${module.moduleId} fails`)
    const name = module.moduleId.match(/(\w+)\.test\.ts$/)![1]!
    times[name] = [...(times[name] ?? []), module.diagnostic().duration / TESTS.length]
  }
  await vitest.close()
}

const none = median(times['without']!)
console.log(`ms per test, of ${TESTS.length} in a file; the test is one transaction and its tick\n`)
console.log(
  alignColumns([
    ['', 'in all', 'of the chain'],
    ...Object.entries(SUITES).map(([name, label]) => {
      const time = median(times[name]!)
      return [label, formatValue(time), formatValue(time - none)]
    }),
  ]),
)
