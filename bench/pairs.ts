/**
 * Compares a build of preseal with an earlier one: both are measured in turns, and the result is the median of the
 * ratios of the pairs, so that other load of the machine affects both equally.
 *
 * `npx tsx bench/pairs.ts --before <dist> [--pairs 7] [--only <group>]`, from the repository root after `npm run build`.
 */
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { buildChildren, startChild, writeInput } from './children.ts'
import { median } from './measure.ts'
import { groups } from './rows/groups.ts'
import type { RowGroup } from './rows/row.ts'
import { alignColumns, formatValue, ratioOf } from './table.ts'
import { measureInTurns, takingTurns } from './turns.ts'
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

function startRows({ name }: RowGroup, dist: string): ChildProcess {
  return startChild('rows', [name, 'preseal', workload], { env: { ...takingTurns, PRESEAL_DIST: dist } })
}

const cells = [['', 'unit', 'before', 'after', 'after/before', 'lowest', 'highest']]
for (const group of groups.filter(({ name }) => args.only === undefined || name === args.only)) {
  const pairs: { readonly after: Values; readonly before: Values }[] = []
  for (let pair = 0; pair < Number(args.pairs); pair++) {
    process.stderr.write(`${group.name}: pair ${pair + 1} of ${args.pairs}\n`)
    // The builds alternate in going first.
    const order = pair % 2 === 0 ? dists : dists.toReversed()
    const measured = await measureInTurns<Values>(order.map((dist) => startRows(group, dist)))
    const [after, before] = pair % 2 === 0 ? measured : measured.toReversed()
    pairs.push({ after: after!, before: before! })
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
