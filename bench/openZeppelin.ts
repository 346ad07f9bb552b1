/**
 * How long Hardhat 2 and 3 take for a suite over OpenZeppelin's contracts, on their own networks and on others:
 * `npx tsx bench/openZeppelin.ts`, from the repository root after a build.
 *
 * The machine's other load changes the time more than the processor time, which is that of Hardhat and of the node.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { anvilBinary, isAnvilInstalled } from './engines/anvil.ts'
import { createPoster } from './http.ts'
import { isBuilt } from './load.ts'
import { median } from './measure.ts'
import { installPeers } from './peers.ts'
import { alignColumns, formatValue } from './table.ts'

const SUITE = resolve('test/package/openzeppelin')
const HARDHAT3 = resolve('test/package/hardhat3')
/** Ticks per second of processor times in `/proc`. */
const TICKS = 100

/** A version of Hardhat with the suite. */
interface Hardhat {
  readonly name: string
  /** The suite with its dependencies, a copy that is safe to delete. */
  readonly folder: string
  /** The Node that it runs on. */
  readonly node: string
  /** Writes all files that npm does not install. */
  readonly copy: (folder: string) => void
  readonly compile: readonly string[]
  readonly test: (network: string) => readonly string[]
}

const hardhat2: Hardhat = {
  name: 'Hardhat 2',
  folder: resolve('bench/dist/openzeppelin'),
  node: process.execPath,
  copy: (folder) => cpSync(SUITE, folder, { recursive: true }),
  compile: ['compile', '--quiet'],
  test: (network) => ['test', '--no-compile', '--network', network],
}

const CONFIG = ['--config', 'openzeppelin.config.js']

const hardhat3: Hardhat = {
  name: 'Hardhat 3',
  folder: resolve('bench/dist/openzeppelin3'),
  node: findNode22(),
  copy: copyForHardhat3,
  compile: [...CONFIG, 'build', '--no-tests', '--quiet'],
  test: (network) => [...CONFIG, '--network', network, 'test', 'mocha', '--no-compile'],
}

/** Where the suite runs. */
interface Place {
  readonly name: string
  readonly hardhat: Hardhat
  /** Hardhat's name of the network. */
  readonly network: string
  /** The command of the node, by its port; without one there is no node. */
  readonly node?: (port: number) => readonly [command: string, ...args: string[]]
  /** The place that it is compared with. */
  readonly beside: string
}

interface Run {
  readonly seconds: number
  /** Seconds of processor time; NaN if they cannot be read. */
  readonly processor: number
  readonly result: string
}

const anvil = (port: number) =>
  [anvilBinary(), ...`--port ${port} --hardfork prague --accounts 20 --silent`.split(' ')] as const
const preseal = (port: number) =>
  [
    process.execPath,
    resolve('dist/cli.js'),
    ...`--dialect hardhat --hardfork prague --mining auto --accounts 20 --port ${port}`.split(' '),
  ] as const

const PLACES: readonly Place[] = [
  ...placesOf(hardhat2, { own: 'hardhat', inProcess: 'localhost' }),
  ...placesOf(hardhat3, { own: 'own', inProcess: 'preseal' }),
]

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '3' }, only: { type: 'string' } },
})
if (!isBuilt()) throw new Error('dist/index.js is missing: run `npm run build` first')
installPeers()
const hasNode22 = existsSync(hardhat3.node)
if (!hasNode22) console.log(`Hardhat 3 is left out: it needs Node 22, by \`npm install\` in bench\n`)
const places = PLACES.filter(
  ({ name, hardhat, node }) =>
    (node !== anvil || isAnvilInstalled()) &&
    (hardhat !== hardhat3 || hasNode22) &&
    name.startsWith(values.only ?? ''),
)
for (const hardhat of new Set(places.map(({ hardhat }) => hardhat))) prepare(hardhat)
const runs: Record<string, Run[]> = {}
for (let turn = 0; turn < Number(values.runs); turn++) {
  for (const place of places) runs[place.name] = [...(runs[place.name] ?? []), await runSuite(place)]
}

const middle = (name: string, of: (run: Run) => number) => median((runs[name] ?? []).map(of))
const seconds = ({ seconds }: Run) => seconds
const processor = ({ processor }: Run) => processor
const spread = (name: string) => {
  const all = runs[name]!.map(seconds)
  return `${formatValue(Math.min(...all))} to ${formatValue(Math.max(...all))}`
}
console.log(`seconds, the median of ${values.runs} runs in turns\n`)
console.log(
  alignColumns([
    ['', 'time', 'from', 'processor', 'time ratio', 'processor ratio', 'tests'],
    ...places.map(({ name, beside }) => [
      name,
      formatValue(middle(name, seconds)),
      spread(name),
      formatValue(middle(name, processor)),
      (middle(name, seconds) / middle(beside, seconds)).toFixed(2),
      (middle(name, processor) / middle(beside, processor)).toFixed(2),
      [...new Set(runs[name]!.map(({ result }) => result))].join('; '),
    ]),
  ]),
)

/** The places of a version: its own network and preseal in its process, anvil and preseal over HTTP. */
function placesOf(
  hardhat: Hardhat,
  { own, inProcess }: { readonly own: string; readonly inProcess: string },
): readonly Place[] {
  const of = (place: string) => `${hardhat.name}, ${place}`
  const beside = (first: string, others: readonly Omit<Place, 'hardhat' | 'beside'>[]): Place[] =>
    others.map((place) => ({ ...place, name: of(place.name), hardhat, beside: of(first) }))
  return [
    ...beside('its network', [
      { name: 'its network', network: own },
      { name: 'preseal in process', network: inProcess },
    ]),
    ...beside('anvil over HTTP', [
      { name: 'anvil over HTTP', network: 'served', node: anvil },
      { name: 'preseal over HTTP', network: 'served', node: preseal },
    ]),
  ]
}

/** Hardhat 3 needs Node 22: this one, or npm's package of its binary. */
function findNode22(): string {
  if (Number.parseInt(process.versions.node, 10) >= 22) return process.execPath
  return resolve(`bench/node_modules/node22-${process.platform}-${process.arch}/bin/node`)
}

/** The suite as ES modules, and the package as it would be installed. */
function copyForHardhat3(folder: string): void {
  for (const file of readdirSync(HARDHAT3).filter((file) => /^[\w.-]+\.js(on)?$/.test(file)))
    cpSync(join(HARDHAT3, file), join(folder, file))
  const manifest = JSON.parse(readFileSync(join(HARDHAT3, 'package.json'), 'utf8')) as object
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, type: 'module' }))
  // Else the paths of the repository's own configuration would apply.
  writeFileSync(join(folder, 'tsconfig.json'), '{}')
  cpSync(join(SUITE, 'contracts'), join(folder, 'contracts'), { recursive: true })
  const tests = join(folder, 'test/openzeppelin')
  mkdirSync(tests, { recursive: true })
  for (const file of readdirSync(join(SUITE, 'test'))) {
    const code = readFileSync(join(SUITE, 'test', file), 'utf8')
    const required = /const (\{[^}]*\}) = require\([^)]*\)/g
    const text = code.replace(required, "import $1 from '../../openzeppelin.js'")
    writeFileSync(join(tests, file.replace('.cjs', '.js')), text)
  }
}

/** Copies the suite, and installs and compiles what has changed. */
function prepare({ folder, node, copy, compile, name }: Hardhat): void {
  const execute = (command: string, args: readonly string[]) => {
    const { status } = spawnSync(command, args, { cwd: folder, stdio: 'inherit', env: environment(node) })
    if (status !== 0) process.exit(1)
  }
  mkdirSync(folder, { recursive: true })
  copy(folder)
  // Not `npm ci`: it requests binaries of every platform, which some registries lack.
  const installed = join(folder, 'node_modules')
  if (!existsSync(installed)) execute('npm', ['install', '--no-audit', '--no-fund'])
  if (name === 'Hardhat 3') {
    const linked = join(installed, 'preseal')
    rmSync(linked, { recursive: true, force: true })
    mkdirSync(linked)
    cpSync('package.json', join(linked, 'package.json'))
    // Not a link to the folder: its modules would look for Hardhat beside the repository.
    cpSync('dist', join(linked, 'dist'), { recursive: true })
  }
  execute('npx', ['hardhat', ...compile])
}

function environment(node: string, url = ''): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PATH: dirname(node) + delimiter + process.env['PATH'],
    CI: 'true',
    HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
    PRESEAL: resolve('dist/index.js'),
    ...(url !== '' && { NODE_URL: url }),
  }
}

async function runSuite({ hardhat, network, node }: Place): Promise<Run> {
  const port = node && (await findPort())
  const started = port === undefined ? undefined : await startNode(node!(port), port)
  try {
    const begin = performance.now()
    // `times` prints the processor time of the shell, then that of its children.
    const suite = spawn('sh', ['-c', `npx hardhat ${hardhat.test(network).join(' ')}; times`], {
      cwd: hardhat.folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: environment(hardhat.node, port === undefined ? '' : `http://127.0.0.1:${port}`),
    })
    let output = ''
    suite.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
    })
    await once(suite, 'close')
    const seconds = (performance.now() - begin) / 1_000
    const result = [...output.matchAll(/\d+ (?:passing|failing)/g)].join(', ')
    const spent = output.trim().split(/\s+/).slice(-2).map(toSeconds)
    return { seconds, processor: spent[0]! + spent[1]! + (started ? processorTime(started) : 0), result }
  } finally {
    if (started !== undefined) {
      const exited = once(started, 'exit')
      started.kill()
      await exited
    }
  }
}

async function startNode(
  [command, ...args]: readonly [string, ...string[]],
  port: number,
): Promise<ChildProcess> {
  const node = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const { request, close } = createPoster(`http://127.0.0.1:${port}`)
  const answers = () =>
    request('eth_chainId', [])
      .then(() => true)
      .catch(() => false)
  while (!(await answers())) {
    if (node.exitCode !== null) throw new Error(`${command} ended with ${node.exitCode}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  close()
  return node
}

/** A port that nothing listens on. */
async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  server.close()
  await once(server, 'close')
  return port
}

/** Seconds of processor time of a running process; NaN where there is no `/proc`. */
function processorTime({ pid }: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS
  } catch {
    return Number.NaN
  }
}

/** The seconds of a time such as `1m2.5s`. */
function toSeconds(time: string): number {
  const [, minutes, rest] = /^(\d+)m([\d.]+)s$/.exec(time) ?? []
  return Number(minutes) * 60 + Number(rest)
}
