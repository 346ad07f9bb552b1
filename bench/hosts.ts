/**
 * The loops of the EVM on each host: this Node, those of the trials, Chromium and Firefox. `npx tsx bench/hosts.ts
 * [--runs 3] [--only firefox]`, from the repository root, on Linux. Every measurement has a new Node process,
 * or a new page, and is of processor time.
 */
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { build, type Plugin } from 'esbuild'
import { chromium } from 'playwright'
import { preview } from 'vite'
import { installPackages } from '../test/package/install.ts'
import { LAUNCH_OPTIONS, SKIPS_CHROMIUM } from '../test/tools/chromium.ts'
import { launchFirefox, SKIPS_FIREFOX } from '../test/tools/firefox.ts'
import type { Execution, Figures, measure } from './hostLoops.ts'
import { median } from './measure.ts'
import { alignColumns, formatValue } from './table.ts'
import { BUILD } from './transactions.ts'

interface Host {
  readonly name: string
  run(execution: Execution): Promise<Figures>
  close(): Promise<void>
}

const { values: args } = parseArgs({
  options: { runs: { type: 'string', default: '3' }, only: { type: 'string' } },
})
/** From the fast loop, to which the others are compared. */
const EXECUTIONS: readonly Execution[] = ['fast', 'plain', 'ethereumjs', 'default']

const FOLDER = join(BUILD, 'hosts')
/** The bundle of an execution, below {@link FOLDER}. */
const bundleOf = (execution: Execution) => `${execution === 'plain' ? 'plain' : 'both'}/hostLoops.js`

/** The plain loop in place of the fast one, which returns about as often. */
const plainLoop: Plugin = {
  name: 'plain-loop',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]evm[\\/]preseal[\\/]loop\.ts$/ }, ({ path }) => ({
      contents: `import { runPlain } from './plainLoop.ts'
export const runFast = (frame) => runPlain(frame, 4096)`,
      resolveDir: dirname(path),
      loader: 'js',
    }))
  },
}

async function bundle(name: string, plugins: Plugin[]): Promise<void> {
  await build({
    entryPoints: ['bench/hostLoops.ts'],
    outdir: join(FOLDER, name),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: ['node:*'],
    logLevel: 'error',
    plugins,
  })
}

function nodeHost(name: string, command: string): Host {
  return {
    name,
    async run(execution) {
      const address = pathToFileURL(join(FOLDER, bundleOf(execution))).href
      const program = `const { measure } = await import('${address}')
console.log(JSON.stringify(await measure('${execution}', () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
})))`
      const { stdout } = await promisify(execFile)(command, ['--input-type=module', '--eval', program])
      return JSON.parse(stdout)
    },
    close: async () => {},
  }
}

/** This Node, and those of the trials that are of other major versions. */
async function nodeHosts(): Promise<Host[]> {
  const { optionalDependencies } = JSON.parse(readFileSync('test/package/tools/package.json', 'utf8')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>
  }
  const own = process.versions.node.split('.')[0]
  const others = Object.entries(optionalDependencies).filter(
    ([name]) => name.endsWith(`-${process.platform}-${process.arch}`) && !name.startsWith(`node${own}-`),
  )
  const folder = await installPackages('nodes', Object.fromEntries(others))
  return [
    nodeHost(`Node ${own}`, process.execPath),
    ...others.map(([name]) =>
      nodeHost(`Node ${/\d+/.exec(name)![0]}`, join(folder, 'node_modules', name, 'bin/node')),
    ),
  ]
}

/** The expression that measures in a page; its module has to be of this name. */
const measuring = (execution: Execution) =>
  `import('/${bundleOf(execution)}').then(({ measure }) =>
    measure('${execution}', () => fetch('/cpu').then((response) => response.json())))`

async function chromiumHost(url: string): Promise<Host> {
  const browser = await chromium.launch(LAUNCH_OPTIONS)
  return {
    name: `Chromium ${browser.version().split('.')[0]}`,
    async run(execution) {
      const page = await browser.newPage()
      await page.goto(url)
      const figures: Awaited<ReturnType<typeof measure>> = await page.evaluate(measuring(execution))
      await page.close()
      return figures
    },
    close: () => browser.close(),
  }
}

async function firefoxHost(url: string): Promise<Host> {
  const firefox = await launchFirefox()
  return {
    name: `Firefox ${firefox.version.split('.')[0]}`,
    async run(execution) {
      const page = await firefox.open(url)
      const figures = await page.evaluate<Figures>(measuring(execution))
      await page.close()
      return figures
    },
    close: () => firefox.close(),
  }
}

/** The milliseconds of processor time of all processes below this one, of which just one browser is busy; on Linux. */
function cpuTimeBelow(): number {
  const parents = new Map<string, string>()
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    // The name before it, in brackets, may contain anything.
    const stat = readIfThere(`/proc/${pid}/stat`)
    parents.set(pid, stat.slice(stat.lastIndexOf(')')).split(' ')[2] ?? '')
  }
  const isBelow = (pid: string | undefined): boolean =>
    pid !== undefined && (parents.get(pid) === String(process.pid) || isBelow(parents.get(pid)))
  let nanoseconds = 0
  for (const pid of [...parents.keys()].filter(isBelow)) {
    for (const thread of namesIn(`/proc/${pid}/task`)) {
      nanoseconds += Number(readIfThere(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0])
    }
  }
  return nanoseconds / 1e6
}

/** The text of a file; empty if its process has ended. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

await bundle('both', [])
await bundle('plain', [plainLoop])
await writeFile(join(FOLDER, 'index.html'), '<!doctype html><meta charset="utf-8"><title>loops</title>')
const server = await preview({
  configFile: false,
  logLevel: 'silent',
  build: { outDir: FOLDER },
  preview: { host: '127.0.0.1', port: 0 },
  plugins: [
    {
      name: 'cpu-time',
      configurePreviewServer({ middlewares }) {
        middlewares.use('/cpu', (_, response) => void response.end(JSON.stringify(cpuTimeBelow())))
      },
    },
  ],
})
const url = server.resolvedUrls!.local[0]!

const hosts = await nodeHosts()
if (SKIPS_CHROMIUM) console.log('There is no Chromium, which is left out.')
else hosts.push(await chromiumHost(url))
if (SKIPS_FIREFOX) console.log('There is no Firefox, which is left out.')
else hosts.push(await firefoxHost(url))
const chosen = hosts.filter(({ name }) => name.toLowerCase().includes(args.only?.toLowerCase() ?? ''))

/** By host, then by run. */
const measured = new Map<Host, Record<Execution, Figures>[]>(chosen.map((host) => [host, []]))
for (let run = 1; run <= Number(args.runs); run++) {
  for (const [host, runs] of measured) {
    process.stderr.write(`${host.name}: run ${run} of ${args.runs}\n`)
    const figures: Partial<Record<Execution, Figures>> = {}
    for (const execution of EXECUTIONS) figures[execution] = await host.run(execution)
    runs.push(figures as Record<Execution, Figures>)
  }
}
for (const host of hosts) await host.close()
await server.close()

const lines = [
  ['', 'fast loop, ms of CPU', 'plain/fast', 'ethereumjs/fast', 'default/fast', 'fast to the first'],
]
const [first = []] = measured.values()
for (const row of Object.keys(first[0]?.fast ?? {})) {
  for (const [{ name }, runs] of measured) {
    const ratio = (of: (run: Record<Execution, Figures>, at: number) => number) =>
      `×${formatValue(median(runs.map((run, at) => of(run, at) / run.fast[row]!)))}`
    lines.push([
      `${row}: ${name}`,
      formatValue(median(runs.map(({ fast }) => fast[row]!))),
      ratio(({ plain }) => plain[row]!),
      ratio(({ ethereumjs }) => ethereumjs[row]!),
      ratio((run) => run.default[row]!),
      `×${formatValue(median(runs.map(({ fast }, at) => fast[row]! / first[at]!.fast[row]!)))}`,
    ])
  }
}
console.log(alignColumns(lines))
