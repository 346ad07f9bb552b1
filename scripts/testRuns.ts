/** Runs of official tests from the command line: options, processes, and what is printed. */
import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type CreateEngine, ENGINES } from '../test/conformance/engines.ts'
import type { Sample } from '../test/conformance/folder.ts'
import { forkName } from '../test/conformance/networks.ts'
import { readArguments, refuse } from './arguments.ts'

/** The result of one case. */
export interface Report {
  readonly name: string
  readonly fork: string
  /** The file, relative to the folder of the tests. */
  readonly file: string
  /** Undefined if it passed. */
  readonly difference?: string
  /** The result under stock @ethereumjs, with `--stock`. */
  readonly stock?: string
  /** Other things of which the sum is printed, such as `blocks imported`. */
  readonly counts?: Readonly<Record<string, number>>
}

/** What one process has to run. */
export interface Run {
  readonly dir: string
  readonly sample: Sample
  readonly stock: boolean
  readonly createEngine: CreateEngine
  /** Whether a case is to be run. */
  includes(name: string, fork: string): boolean
  /** Whether the next test belongs to this process; to be called once for each test that has such cases. */
  isMine(): boolean
}

const USAGE = `[--only TEXT] [--fork NAME] [--sample K/N] [--jobs N] [--engine NAME] [--stock]
  --only TEXT    only the cases whose name contains TEXT
  --fork NAME    only the cases on that fork or network, such as Osaka or ShanghaiToCancunAtTime15k
  --sample K/N   every N-th case, from the K-th (0 to N-1) on
  --jobs N       processes to spread the tests over; 1 by default
  --engine NAME  the engine: ${Object.keys(ENGINES).join(', ')}
  --stock        also run failing cases on stock @ethereumjs`

/**
 * Runs a script's tests as its command line says, and prints the cases that differ, and sums by fork and folder.
 * The exit code is 1 if a case differs, or if there is none.
 *
 * @param script - the URL of its module, which other processes run too.
 */
export async function runTests(
  name: string,
  script: string,
  run: (what: Run) => AsyncIterable<Report>,
): Promise<void> {
  const usage = `usage: npm run ${name} -- --dir DIR ${USAGE}`
  const values = readArguments(usage, {
    dir: { type: 'string' },
    only: { type: 'string', default: '' },
    fork: { type: 'string' },
    sample: { type: 'string', default: '0/1' },
    jobs: { type: 'string', default: '1' },
    engine: { type: 'string', default: Object.keys(ENGINES)[0]! },
    stock: { type: 'boolean', default: false },
    // Passed to a child process: which part of the tests it runs.
    part: { type: 'string', default: '0/1' },
  })
  const { dir, only, stock } = values
  const [sample, part] = [readSample(values.sample), readSample(values.part)]
  const createEngine = ENGINES[values.engine]
  const jobs = Number(values.jobs)
  if (dir === undefined || !existsSync(dir) || sample === undefined || part === undefined) refuse(usage)
  if (!(jobs >= 1) || createEngine === undefined) refuse(usage)
  const isOn = values.fork === undefined ? undefined : forkName(values.fork)
  const [mine, parts] = part
  let index = 0
  const what: Run = {
    dir,
    sample,
    stock,
    createEngine,
    includes: (text, on) => text.includes(only) && (isOn ?? forkName(on)) === forkName(on),
    isMine: () => index++ % parts === mine,
  }
  if (process.send !== undefined) {
    for await (const report of run(what)) process.send(report)
    process.disconnect()
  } else {
    await summarise(jobs > 1 ? spread(script, jobs) : run(what))
  }
}

/** Runs the tests in several processes. */
async function* spread(script: string, count: number): AsyncGenerator<Report> {
  const queue: Report[] = []
  let running = count
  let wake = () => {}
  for (let i = 0; i < count; i++) {
    const job = fork(fileURLToPath(script), [...process.argv.slice(2), '--part', `${i}/${count}`])
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

/** How many cases of a group passed. */
interface Sum {
  passed: number
  total: number
}

async function summarise(reports: AsyncIterable<Report>): Promise<void> {
  const [folders, forks] = [new Map<string, Sum>(), new Map<string, Sum>()]
  const counts = new Map<string, number>()
  const all: Sum = { passed: 0, total: 0 }
  for await (const { file, fork, name, difference, stock, counts: others = {} } of reports) {
    for (const each of [sumOf(folders, file.replace(/(^|\/)[^/]*$/, '')), sumOf(forks, fork), all]) {
      each.total += 1
      if (difference === undefined) each.passed += 1
    }
    for (const [what, count] of Object.entries(others)) counts.set(what, (counts.get(what) ?? 0) + count)
    if (difference === undefined) continue
    console.log(`${name}\n  ${difference}`)
    if (stock !== undefined) console.log(`  stock @ethereumjs: ${stock}`)
  }
  printSums('folder', folders)
  printSums('fork', forks)
  for (const [what, count] of [...counts].sort()) console.log(String(count).padStart(11), what)
  console.log(`${all.passed}/${all.total}`.padStart(11), 'in total')
  if (all.total === 0) console.log('no case was found')
  if (all.passed < all.total || all.total === 0) process.exitCode = 1
}

function sumOf(sums: Map<string, Sum>, name: string): Sum {
  let sum = sums.get(name)
  if (sum === undefined) {
    sum = { passed: 0, total: 0 }
    sums.set(name, sum)
  }
  return sum
}

function printSums(of: string, sums: ReadonlyMap<string, Sum>): void {
  console.log(`by ${of}:`)
  for (const [name, { passed, total }] of [...sums].sort())
    console.log(`${passed}/${total}`.padStart(11), name)
}

function readSample(text: string): Sample | undefined {
  const match = /^(\d+)\/([1-9]\d*)$/.exec(text)
  return match === null ? undefined : [Number(match[1]), Number(match[2])]
}
