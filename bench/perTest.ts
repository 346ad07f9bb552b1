/**
 * The cost of a test with a chain under `preseal/vitest`, with a deployment per test or a rollback:
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
    // A silent reporter; without one vitest uses its default.
    reporters: [{}],
    // As for users: vitest does not transform packages.
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
    ['', 'total', 'chain'],
    ...Object.entries(SUITES).map(([name, label]) => {
      const time = median(times[name]!)
      return [label, formatValue(time), formatValue(time - none)]
    }),
  ]),
)
