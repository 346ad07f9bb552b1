/**
 * What preseal must reach, in comparison with EDR and anvil.
 *
 * `npm run bench:floors -- [--runs 7] [--pinned] [--only <group>]`, from the repository root. With `--pinned`
 * everything is measured on the first core too.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { filesLoadedByFirstBlock, filesLoadedByImport } from '../test/package/loadedFiles.ts'
import type { TickResult } from './children/tick.ts'
import { buildChildren, canPin, runChild, writeInput } from './children.ts'
import { isAnvilInstalled } from './engines/anvil.ts'
import { ENGINES, type EngineName, type FloorLine, formatFloors, missedFloors } from './floorTable.ts'
import { gzipKilobytes } from './gzip.ts'
import { isBuilt } from './load.ts'
import { quantile } from './measure.ts'
import { installPeers } from './peers.ts'
import { floors } from './rows/floors.ts'
import type { RowGroup } from './rows/row.ts'
import { createTickInput } from './tickInput.ts'
import { createWorkload } from './workload.ts'

const TICK = 'tick'
const SIZE = 'size'

const { values: args } = parseArgs({
  options: {
    runs: { type: 'string', default: '7' },
    pinned: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
})
const runs = Number(args.runs)
if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs must be an integer >= 1')
const groups = [...new Set(floors.map(({ group }) => group))]
const names = [...groups.map(({ name }) => name), TICK, SIZE]
if (args.only !== undefined && !names.includes(args.only)) {
  throw new Error(`--only takes one of ${names.join(', ')}`)
}
const isSelected = (name: string) => args.only === undefined || args.only === name
if (!isBuilt()) throw new Error('dist/index.js is missing: run `npm run build` first')
const pins = args.pinned && canPin()
if (args.pinned && !pins) console.error('There is no taskset that runs here. Measuring on all cores only.\n')
/** Whether the processes of a measurement are pinned to one core. */
const pinnings = pins ? [false, true] : [false]

installPeers()
const hasAnvil = isAnvilInstalled()
if (!hasAnvil) {
  console.error('There is no anvil binary installed by npm that runs here. Measuring without it.\n')
}
buildChildren()
const workload = writeInput('workload', await createWorkload())

/** The values of one run, in the order of the group's rows; undefined if it failed. */
type Values = readonly (number | null)[] | undefined

const lines: FloorLine[] = []
const compared = new Map<RowGroup, readonly Measured[]>()
for (const group of groups) if (isSelected(group.name)) compared.set(group, await compare(group))
for (const { label, group, row, floor } of floors) {
  const { unit, spent } = group.rows[row]!
  for (const { pinned, values } of compared.get(group) ?? []) {
    const valuesOf = (engine: EngineName) => values[engine].map((run) => run?.[row] ?? undefined)
    const figures = Object.fromEntries(ENGINES.map((engine) => [engine, valuesOf(engine)]))
    lines.push({ label, unit, pinned, floor, spent, values: figures })
  }
}
if (isSelected(TICK)) lines.push(...(await measureTicks()))
if (isSelected(SIZE)) lines.push(...(await measureSize()))

console.log(formatFloors(lines))
console.log(`
${runs === 1 ? 'One run' : `Medians of ${runs} runs, with their quartiles`}. The ratio is to the peer that the floor names:
with ≥ that of the speeds, with ≤ that of the times or of the memory. A floor is missed if the quartile on the
worse side misses it.`)
const missed = missedFloors(lines)
if (missed.length > 0) console.log(`\nMissed:\n${missed.join('\n')}`)

interface Measured {
  readonly pinned: boolean
  /** By run. */
  readonly values: Readonly<Record<EngineName, readonly Values[]>>
}

/** Interleaves the engines, and lets each of them begin in turn: other load affects them equally. */
async function compare(group: RowGroup): Promise<readonly Measured[]> {
  const measured = pinnings.map((pinned) => {
    const values: Record<EngineName, Values[]> = { preseal: [], edr: [], anvil: [] }
    return { pinned, values }
  })
  for (let run = 0; run < runs; run++) {
    for (const { pinned, values } of measured) {
      const first = run % ENGINES.length
      for (const engine of [...ENGINES.slice(first), ...ENGINES.slice(0, first)]) {
        if (engine === 'anvil' && !hasAnvil) continue
        progress(`${group.name}: ${engine}`, run, pinned)
        const result = await runChild<Values>('rows', [group.name, engine, workload], { pinned })
        if (result === undefined) process.exitCode = 1
        values[engine].push(result)
      }
    }
  }
  return measured
}

async function measureTicks(): Promise<FloorLine[]> {
  const input = writeInput('tick', await createTickInput())
  const p99: { readonly pinned: boolean; readonly values: (number | undefined)[] }[] = pinnings.map(
    (pinned) => ({ pinned, values: [] }),
  )
  for (let run = 0; run < runs; run++) {
    for (const { pinned, values } of p99) {
      progress('tick', run, pinned)
      const result = await runChild<TickResult>('tick', [input], { pinned })
      if (result === undefined) process.exitCode = 1
      values.push(result && quantile(result.ticks, 0.99))
    }
  }
  return p99.map(({ pinned, values }) => ({
    label: 'tick: 100 changed accounts, 1,000 transactions in the block, 50,000 accounts, p99',
    unit: 'ms',
    pinned,
    floor: { limit: 4 },
    values: { preseal: values },
  }))
}

/** The same on every run and every core. */
async function measureSize(): Promise<FloorLine[]> {
  const dist = resolve('dist')
  const sizes = [
    { label: 'gzip, imported statically', limit: 130, files: await filesLoadedByImport(dist) },
    {
      label: 'gzip, all that a default chain loads until its first sealed block, block store included',
      limit: 190,
      files: await filesLoadedByFirstBlock(dist),
    },
  ]
  return sizes.map(({ label, limit, files }) => ({
    label,
    unit: 'kB',
    floor: { limit },
    values: { preseal: [gzipKilobytes(dist, files)] },
  }))
}

function progress(what: string, run: number, pinned: boolean): void {
  process.stderr.write(`${what}${pinned ? ', on one core' : ''}, run ${run + 1} of ${runs}\n`)
}
