/**
 * preseal in comparison with ganache, EDR and anvil, in one run: a table of rows, engines and ratios.
 *
 * `npx tsx bench/index.ts [--only <group>] [--quick] [--json <file>]`, from the repository root after `npm run build`.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { buildChildren, runChild, writeInput } from './children.ts'
import { isAnvilInstalled } from './engines/anvil.ts'
import { isBuilt } from './load.ts'
import { median } from './measure.ts'
import { formatReport } from './report.ts'
import { groups } from './rows/groups.ts'
import type { RowGroup } from './rows/row.ts'
import { formatTable, type Line, missedAims } from './table.ts'
import { createWorkload } from './workload.ts'

const ENGINES = ['preseal', 'ganache', 'edr', 'anvil'] as const
type EngineName = (typeof ENGINES)[number]

const { values: args } = parseArgs({
  options: {
    only: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})
const selected = groups.filter(({ name }) => args.only === undefined || name === args.only)
if (selected.length === 0) {
  throw new Error(`--only takes one of ${groups.map(({ name }) => name).join(', ')}`)
}
if (!existsSync('bench/node_modules/ganache')) {
  throw new Error('the peers are missing: run `npm install` in bench/ first')
}
if (!isBuilt())
  console.error('dist/index.js is missing: run `npm run build` first. Measuring the peers alone.\n')
const hasAnvil = isAnvilInstalled()
if (!hasAnvil) {
  console.error('There is no anvil binary installed by npm that runs here. Measuring without it.\n')
}

buildChildren()
const workload = writeInput('workload', await createWorkload())

const lines: Line[] = []
for (const group of selected) lines.push(...(await compare(group, args.quick ? 1 : 3)))
console.log(formatTable(lines, ENGINES))
if (args.json !== undefined) writeFileSync(args.json, formatReport(lines))
if (hasAnvil) {
  console.log(
    '\nanvil runs in another process, over HTTP on loopback; the others run in the calling process.',
  )
}
const missed = missedAims(lines, ENGINES[0])
if (missed.length > 0) console.log(`\nMissed:\n${missed.join('\n')}`)
else if (process.exitCode === undefined) console.log('\nEvery aim is met.')

/** Interleaves the engines, so that other load of the machine affects them equally. */
async function compare(group: RowGroup, runs: number): Promise<Line[]> {
  const results: Record<EngineName, (readonly (number | null)[])[]> = {
    preseal: [],
    ganache: [],
    edr: [],
    anvil: [],
  }
  for (let run = 0; run < runs; run++) {
    for (const engine of ENGINES) {
      if (engine === 'preseal' && !isBuilt()) continue
      if (engine === 'anvil' && !hasAnvil) continue
      process.stderr.write(`${group.name}: ${engine}, run ${run + 1} of ${runs}\n`)
      const measured = await runChild<readonly (number | null)[]>('rows', [group.name, engine, workload])
      if (measured) results[engine].push(measured)
      else process.exitCode = 1
    }
  }
  return group.rows.map((row, index) => ({
    row,
    values: Object.fromEntries(
      ENGINES.map((engine) => {
        const measured = results[engine].flatMap((run) => run[index] ?? [])
        return [engine, measured.length > 0 ? median(measured) : undefined]
      }),
    ),
  }))
}
