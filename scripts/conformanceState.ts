/**
 * Runs state tests in the format of ethereum/tests, and prints the cases that differ:
 * `npm run conformance:state -- --dir DIR [--only TEXT] [--sample K/N] [--jobs N] [--stock]`.
 */
import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { differenceOf, readStateTests, StateTestRunner, sampled } from '../test/conformance/stateTests.ts'
import { runStock } from '../test/conformance/stockStateTest.ts'
import { diskFolder } from '../test/node/diskFolder.ts'
import { readArguments, refuse } from './arguments.ts'

const USAGE =
  'usage: npm run conformance:state -- --dir DIR [--only TEXT] [--sample K/N] [--jobs N] [--stock]\n' +
  '  --only TEXT   only the cases whose name contains TEXT\n' +
  '  --sample K/N  every N-th case, from the K-th (0 to N-1) on\n' +
  '  --jobs N      processes to spread the tests over; 1 by default\n' +
  '  --stock       also run failing cases on stock @ethereumjs'

/** The result of one case. */
interface Report {
  readonly folder: string
  readonly name: string
  /** Undefined if it passed. */
  readonly difference?: string
  /** The result under stock @ethereumjs, with `--stock`. */
  readonly stock?: string
}

const values = readArguments(USAGE, {
  dir: { type: 'string' },
  only: { type: 'string', default: '' },
  sample: { type: 'string', default: '0/1' },
  jobs: { type: 'string', default: '1' },
  stock: { type: 'boolean', default: false },
  // Passed to a child process: which part of the tests it runs.
  part: { type: 'string', default: '0/1' },
})
const { dir, only, stock } = values
const sample = readFraction(values.sample)
const part = readFraction(values.part)
const jobs = Number(values.jobs)
if (dir === undefined || !existsSync(dir) || sample === undefined || part === undefined || !(jobs >= 1)) {
  refuse(USAGE)
}

if (process.send !== undefined) {
  for await (const report of runPart(dir)) process.send(report)
  process.disconnect()
} else {
  await summarise(jobs > 1 ? spread(jobs) : runPart(dir))
}

/** Runs this process's part of the tests. */
async function* runPart(folder: string): AsyncGenerator<Report> {
  const runner = await StateTestRunner.create()
  const [mine, parts] = part!
  let index = 0
  for await (const test of sampled(readStateTests(diskFolder(folder)), sample!)) {
    const cases = test.cases.filter(({ name }) => name.includes(only))
    if (cases.length === 0 || index++ % parts !== mine) continue
    const started = runner.start(test)
    for (const one of cases) {
      const base = { folder: test.name.split('/')[0]!, name: one.name }
      const difference = differenceOf(one, await started.run(one).catch(String))
      if (difference === undefined) yield base
      else if (!stock) yield { ...base, difference }
      else {
        const theirs = differenceOf(one, await runStock(test, one).catch(String))
        yield { ...base, difference, stock: theirs ?? 'passes' }
      }
    }
  }
}

/** Runs the tests in several processes. */
async function* spread(count: number): AsyncGenerator<Report> {
  const queue: Report[] = []
  let running = count
  let wake = () => {}
  for (let i = 0; i < count; i++) {
    const job = fork(fileURLToPath(import.meta.url), [...process.argv.slice(2), '--part', `${i}/${count}`])
    job.on('message', (report) => {
      queue.push(report as Report)
      wake()
    })
    job.on('exit', (code) => {
      if (code !== 0) process.exit(1)
      running -= 1
      wake()
    })
  }
  while (running > 0 || queue.length > 0) {
    const report = queue.shift()
    if (report !== undefined) yield report
    else
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
}

async function summarise(reports: AsyncIterable<Report>): Promise<void> {
  const counts = new Map<string, { passed: number; total: number }>()
  const all = { passed: 0, total: 0 }
  for await (const { folder, name, difference, stock } of reports) {
    const count = counts.get(folder) ?? { passed: 0, total: 0 }
    counts.set(folder, count)
    for (const each of [count, all]) {
      each.total += 1
      if (difference === undefined) each.passed += 1
    }
    if (difference === undefined) continue
    console.log(`${name}\n  ${difference}`)
    if (stock !== undefined) console.log(`  stock @ethereumjs: ${stock}`)
  }
  for (const [folder, { passed, total }] of [...counts].sort()) {
    console.log(`${passed}/${total}`.padStart(11), folder)
  }
  console.log(`${all.passed}/${all.total}`.padStart(11), 'in total')
  if (all.total === 0) console.log('no case was found')
  if (all.passed < all.total || all.total === 0) process.exitCode = 1
}

function readFraction(text: string): readonly [number, number] | undefined {
  const match = /^(\d+)\/([1-9]\d*)$/.exec(text)
  return match === null ? undefined : [Number(match[1]), Number(match[2])]
}
