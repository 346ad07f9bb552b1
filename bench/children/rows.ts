/** Measures one group of rows on one engine: one process, one heap. */
import { readFileSync } from 'node:fs'
import { groups } from '../rows/groups.ts'
import { awaitTurn } from '../turns.ts'
import type { Workload } from '../workload.ts'

await awaitTurn()
const [, , group, name, file] = process.argv
const { engine } = (await import(`../engines/${name}.js`)) as typeof import('../engines/preseal.ts')
const workload = JSON.parse(readFileSync(file as string, 'utf8')) as Workload
const values = await groups.find((candidate) => candidate.name === group)?.measure(engine, workload)
process.send?.(values, () => process.exit())
