/**
 * What it costs to watch a chain, and that a chain that is not watched costs nothing: each kind of chain beside a plain one.
 *
 * `npx tsx bench/watched.ts [--pairs 5]`, from the repository root after `npm run build`.
 */
import { parseArgs } from 'node:util'
import { buildChildren, startChild, writeInput } from './children.ts'
import { isBuilt } from './load.ts'
import { median } from './measure.ts'
import { alignColumns, formatValue } from './table.ts'
import { measureInTurns, takingTurns } from './turns.ts'
import { createWorkload } from './workload.ts'

const KINDS = ['again', 'beside', 'gas', 'stackTraces', 'coverage'] as const

/** What a chain that is measured beside a plain one is; README.md says what each means. */
export type Kind = 'plain' | (typeof KINDS)[number]

const ROWS = ['ERC-20 transfer, sent and mined', 'eth_call balanceOf']

/** Milliseconds, in the order of `ROWS`. */
type Times = readonly number[]

const { values: args } = parseArgs({ options: { pairs: { type: 'string', default: '5' } } })
if (!isBuilt()) throw new Error('dist/index.js is missing: run `npm run build` first')

buildChildren()
const workload = writeInput('workload', await createWorkload())
const start = (kind: Kind) => startChild('watched', [kind, workload], { env: takingTurns })

const cells = [['', 'kind', 'plain, ms', 'ms', 'ratio', 'lowest', 'highest']]
for (const kind of KINDS) {
  const pairs: { readonly plain: Times; readonly other: Times }[] = []
  for (let pair = 0; pair < Number(args.pairs); pair++) {
    process.stderr.write(`${kind}: pair ${pair + 1} of ${args.pairs}\n`)
    // They alternate in going first.
    const isFirst = pair % 2 === 0
    const order: readonly Kind[] = isFirst ? ['plain', kind] : [kind, 'plain']
    const [first, second] = await measureInTurns<Times>(order.map(start))
    pairs.push(isFirst ? { plain: first!, other: second! } : { plain: second!, other: first! })
  }
  for (const [row, label] of ROWS.entries()) {
    const ratios = pairs.map(({ plain, other }) => other[row]! / plain[row]!)
    cells.push([
      label,
      kind,
      formatValue(median(pairs.map(({ plain }) => plain[row]!))),
      formatValue(median(pairs.map(({ other }) => other[row]!))),
      ...[median(ratios), Math.min(...ratios), Math.max(...ratios)].map((ratio) => `×${ratio.toFixed(3)}`),
    ])
  }
}
console.log(alignColumns(cells))
