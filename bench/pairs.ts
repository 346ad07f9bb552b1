/**
 * A build of preseal against an earlier one: each row measured in turns, and the median of the ratios pair by pair, so
 * that what else the machine does hits both alike.
 *
 * `npx tsx bench/pairs.ts --before <dist> [--pairs 7] [--only <group>]`, from the repository root after `npm run build`.
 */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildChildren, runChild, writeInput } from './children.ts'
import { median } from './measure.ts'
import { groups } from './rows/groups.ts'
import type { RowGroup } from './rows/row.ts'
import { alignColumns, formatValue, ratioOf } from './table.ts'
import { createWorkload } from './workload.ts'

const { values: args } = parseArgs({
  options: { before: { type: 'string' }, pairs: { type: 'string', default: '7' }, only: { type: 'string' } },
})
if (args.before === undefined || !existsSync(join(args.before, 'index.js'))) {
  throw new Error('--before takes the folder of an earlier build, with its index.js')
}
const dists = [resolve('dist'), resolve(args.before)] as const

buildChildren()
const workload = writeInput('workload', await createWorkload())

type Values = readonly (number | null)[]

async function measure({ name }: RowGroup, dist: string): Promise<Values> {
  const env = { PRESEAL_DIST: dist }
  const values = await runChild<Values>('rows', [name, 'preseal', workload], env)
  if (values === undefined) throw new Error(`${name} could not be measured on ${dist}`)
  return values
}

const cells = [['', 'unit', 'before', 'after', 'after/before', 'lowest', 'highest']]
for (const group of groups.filter(({ name }) => args.only === undefined || name === args.only)) {
  const pairs: { readonly after: Values; readonly before: Values }[] = []
  for (let pair = 0; pair < Number(args.pairs); pair++) {
    process.stderr.write(`${group.name}: pair ${pair + 1} of ${args.pairs}\n`)
    // Each goes first every other time.
    const order = pair % 2 === 0 ? [0, 1] : [1, 0]
    const measured: Values[] = []
    for (const which of order) measured[which] = await measure(group, dists[which]!)
    pairs.push({ after: measured[0]!, before: measured[1]! })
  }
  for (const [index, row] of group.rows.entries()) {
    const valuesOf = (which: 'after' | 'before') => pairs.map((pair) => pair[which][index] ?? Number.NaN)
    const ratios = pairs.flatMap(
      ({ after, before }) => ratioOf(row, after[index] ?? undefined, before[index] ?? undefined) ?? [],
    )
    cells.push([
      row.label,
      row.unit,
      formatValue(median(valuesOf('before'))),
      formatValue(median(valuesOf('after'))),
      ...[median(ratios), Math.min(...ratios), Math.max(...ratios)].map((ratio) => `×${ratio.toFixed(3)}`),
    ])
  }
}
console.log(alignColumns(cells))
