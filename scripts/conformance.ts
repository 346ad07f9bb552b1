/**
 * Runs test vectors in the format of ethereum/execution-apis, and prints the differences:
 * `npm run conformance -- --vectors DIR [--dialect geth|preconf] [--view standard|preconf] [--only TEXT]`.
 */
import { existsSync } from 'node:fs'
import { createChain, createManualClock } from '../src/index.ts'
import { type Difference, VectorFolder } from '../test/conformance/vectors.ts'
import { diskFolder } from '../test/tools/diskFolder.ts'
import { readArguments, refuse } from './arguments.ts'

/** The most differences shown per vector. */
const MAX_SHOWN = 10

const USAGE =
  'usage: npm run conformance -- --vectors DIR [--dialect geth|preconf] [--view standard|preconf] [--only TEXT]\n' +
  '  --vectors DIR  a folder with genesis.json, chain.rlp, headfcu.json, and METHOD/NAME.io\n' +
  '  --only TEXT    count only the vectors whose name contains TEXT'

const {
  vectors: directory,
  dialect,
  view,
  only,
} = readArguments(USAGE, {
  vectors: { type: 'string' },
  dialect: { type: 'string', default: 'geth' },
  view: { type: 'string', default: 'standard' },
  only: { type: 'string', default: '' },
})
if (!isOneOf(dialect, ['geth', 'preconf']) || !isOneOf(view, ['standard', 'preconf'])) refuse(USAGE)
if (directory === undefined || !existsSync(directory)) refuse(USAGE)

const folder = await VectorFolder.open(diskFolder(directory))
const chain = await createChain({
  ...folder.chain,
  mining: 'manual',
  clock: createManualClock(),
  blobs: true,
  dialect,
})
const counts = new Map<string, { passed: number; total: number }>()
const failures: string[] = []
const head = await chain[view].request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
if (head?.hash !== folder.head) failures.push(`\nthe head is ${head?.hash}, expected ${folder.head}`)
for (const vector of folder.vectors) {
  // Later vectors depend on transactions sent by earlier ones, so every vector runs.
  const differences = await folder.run(vector, chain[view]).catch((error: unknown) => [thrown(error)])
  if (!vector.name.includes(only)) continue
  const count = counts.get(vector.method) ?? { passed: 0, total: 0 }
  count.total += 1
  if (differences.length === 0) count.passed += 1
  else
    failures.push(`\n${vector.name}`, ...differences.slice(0, MAX_SHOWN).map(describe), ...rest(differences))
  counts.set(vector.method, count)
}
await chain.close()

let passed = 0
let total = 0
for (const [method, count] of counts) {
  console.log(`${count.passed}/${count.total}`.padStart(7), method)
  passed += count.passed
  total += count.total
}
console.log(`${passed}/${total}`.padStart(7), 'in total')
if (total === 0) failures.push('\nno vector has this text in its name')
if (failures.length > 0) {
  console.log(failures.join('\n'))
  process.exitCode = 1
}

function describe({ path, expected, got }: Difference): string {
  return `  ${path}\n    expected ${shorten(expected)}\n    got      ${shorten(got)}`
}

function rest(differences: readonly Difference[]): string[] {
  const more = differences.length - MAX_SHOWN
  return more > 0 ? [`  and ${more} more`] : []
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 200 ? `${text.slice(0, 200)}… (${text.length} characters)` : text
}

function thrown(error: unknown): Difference {
  return { path: 'thrown', expected: undefined, got: String(error) }
}

function isOneOf<const T extends string>(value: string, names: readonly T[]): value is T {
  return (names as readonly string[]).includes(value)
}
