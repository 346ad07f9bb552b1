/**
 * How long Hardhat 2 takes for a suite over OpenZeppelin's contracts, on its own network and on others:
 * `npx tsx bench/openZeppelin.ts`, from the repository root after a build.
 *
 * The machine's other load changes the time more than the processor time, which is that of Hardhat and of the node.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { anvilBinary, isAnvilInstalled } from './engines/anvil.ts'
import { createPoster } from './http.ts'
import { isBuilt } from './load.ts'
import { median } from './measure.ts'
import { installPeers } from './peers.ts'
import { alignColumns, formatValue } from './table.ts'

const SUITE = resolve('test/package/openzeppelin')
/** A copy of the suite, with its dependencies; safe to delete. */
const FOLDER = resolve('bench/dist/openzeppelin')
/** Ticks per second of processor times in `/proc`. */
const TICKS = 100

/** Where the suite runs. */
interface Place {
  readonly name: string
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

const PLACES: readonly Place[] = [
  { name: "Hardhat's network", network: 'hardhat', beside: "Hardhat's network" },
  { name: 'preseal in process', network: 'localhost', beside: "Hardhat's network" },
  {
    name: 'anvil over HTTP',
    network: 'node',
    node: (port) => [
      anvilBinary(),
      '--port',
      `${port}`,
      '--hardfork',
      'prague',
      '--accounts',
      '20',
      '--silent',
    ],
    beside: 'anvil over HTTP',
  },
  {
    name: 'preseal over HTTP',
    network: 'node',
    node: (port) => [
      process.execPath,
      resolve('dist/cli.js'),
      ...`--dialect hardhat --mining auto --accounts 20 --port ${port}`.split(' '),
    ],
    beside: 'anvil over HTTP',
  },
]

const { values } = parseArgs({ options: { runs: { type: 'string', default: '3' } } })
if (!isBuilt()) throw new Error('dist/index.js is missing: run `npm run build` first')
installPeers()
prepare()
const places = PLACES.filter(({ name }) => !name.startsWith('anvil') || isAnvilInstalled())
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

/** Copies the suite, and installs and compiles what has changed. */
function prepare(): void {
  const execute = (command: string, args: readonly string[]) => {
    const { status } = spawnSync(command, args, { cwd: FOLDER, stdio: 'inherit', env: environment() })
    if (status !== 0) process.exit(1)
  }
  cpSync(SUITE, FOLDER, { recursive: true })
  // Not `npm ci`: it requests binaries of every platform, which some registries lack.
  if (!existsSync(join(FOLDER, 'node_modules'))) execute('npm', ['install', '--no-audit', '--no-fund'])
  execute('npx', ['hardhat', 'compile', '--quiet'])
}

function environment(url = ''): NodeJS.ProcessEnv {
  return {
    ...process.env,
    CI: 'true',
    HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
    PRESEAL: resolve('dist/index.js'),
    ...(url !== '' && { NODE_URL: url }),
  }
}

async function runSuite({ network, node }: Place): Promise<Run> {
  const port = node && (await findPort())
  const started = port === undefined ? undefined : await startNode(node!(port), port)
  try {
    const begin = performance.now()
    // `times` prints the processor time of the shell, then that of its children.
    const suite = spawn('sh', ['-c', `npx hardhat test --no-compile --network ${network}; times`], {
      cwd: FOLDER,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: environment(port === undefined ? '' : `http://127.0.0.1:${port}`),
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
