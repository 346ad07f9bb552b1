/**
 * Hardhat with its helpers and toolboxes: Hardhat 2 on a chain in its process, Hardhat 3 by the plugin and over HTTP; a part of a suite over
 * OpenZeppelin's contracts on both.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { install, installPackages } from './install.ts'
import {
  createProject,
  nodeCommand,
  type Project,
  type ProjectOptions,
  toJavaScript,
  toolCommand,
} from './project.ts'
import type { Output } from './run.ts'
import { serve } from './served.ts'

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path), 'utf8')
const helpers = read('stories/hardhatHelpers.ts')

/** The options of a node for Hardhat, as in the documentation. */
const OPTIONS = '--dialect hardhat --mining auto --accounts 20 --console'.split(' ')

/** Runs Hardhat in a project, without prompts, telemetry and files elsewhere. */
type Hardhat = (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Output>

/** A project with Hardhat. */
interface HardhatProject {
  readonly project: Project
  readonly hardhat: Hardhat
  /** The path of Hardhat's command, and its environment. */
  readonly command: string
  readonly env: Readonly<Record<string, string>>
}

/** A project with the files of a folder here, the dependencies of its package.json, and a contract. */
async function createHardhatProject(
  folder: string,
  node: '20' | '22',
  { type, files }: Required<Pick<ProjectOptions, 'type' | 'files'>>,
): Promise<HardhatProject> {
  const PATH = dirname(nodeCommand(node)) + delimiter + process.env['PATH']
  const installed = await install(join(import.meta.dirname, folder), { PATH })
  const { dependencies } = JSON.parse(read(folder, 'package.json')) as { readonly dependencies: object }
  const own = readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /^(?!node_modules\b).*\.c?js$/.test(path))
    .map((path) => [path, read(folder, path)] as const)
  const project = await createProject({
    type,
    tools: Object.keys(dependencies),
    installed,
    files: { ...Object.fromEntries(own), 'contracts/Vault.sol': read('stories/Vault.sol'), ...files },
  })
  return linkHardhat(project, installed, node)
}

/** Hardhat of a folder, run in a project by a Node. */
function linkHardhat(project: Project, installed: string, node: '20' | '22'): HardhatProject {
  const command = join(installed, 'node_modules/.bin/hardhat')
  const env = {
    PATH: dirname(nodeCommand(node)) + delimiter + process.env['PATH'],
    CI: 'true',
    HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true',
    HOME: project.folder,
  }
  const hardhat: Hardhat = (args, own) => project.run(command, args, { env: { ...env, ...own } })
  return { project, hardhat, command, env }
}

/** The output of a command that has to fail. @throws if it ends with exit code 0 */
async function failed(running: Promise<Output>): Promise<Output> {
  const error = await running.then(
    () => undefined,
    (error: Error) => error,
  )
  if (error === undefined) throw new Error('ended with exit code 0')
  return error.cause as Output & Error
}

/** Starts `hardhat node` on a free port, and ends it with the test at the latest. */
async function startNode({ project, command, env }: HardhatProject) {
  const child = spawn(command, ['node', '--hostname', '127.0.0.1', '--port', '0'], {
    cwd: project.folder,
    env: { ...process.env, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const closed = once(child, 'close')
  const printed = text(child.stdout)
  const url = await new Promise<string>((resolve, reject) => {
    let start = ''
    child.stdout.on('data', (chunk) => {
      start += chunk
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(start) ?? []
      if (found) resolve(found)
    })
    void closed.then(() => reject(new Error(`hardhat node ended: ${start}`)))
  })
  return {
    url,
    /** @returns its output. */
    async end(): Promise<string> {
      child.kill('SIGINT')
      await closed
      return printed
    },
  }
}

/** The files of the example, beside the configurations that use it. */
function readExample(): Readonly<Record<string, string>> {
  const folder = '../../examples/hardhat3'
  const paths = readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: 'utf8' })
  const files = paths.filter((path) => /\.\w+$/.test(path))
  return {
    ...Object.fromEntries(files.map((path) => [`example/${path}`, read(folder, path)])),
    'contracts/Counter.sol': read(folder, 'contracts/Counter.sol'),
  }
}

/** The lowest version of the peer range. */
const [OLDEST] = /\d+\.\d+\.\d+/.exec(JSON.parse(read('../../package.json')).peerDependencies.hardhat)!

const OLDEST_CONFIG = `
import preseal from 'preseal/hardhat'
export default { plugins: [preseal], networks: { default: { type: 'edr-simulated', preseal: true } } }`

const OLDEST_SCRIPT = `
import { network } from 'hardhat'
const { provider, preseal: chain, close } = await network.connect()
const ask = (method, ...params) => provider.request({ method, params })
await ask('eth_sendTransaction', { to: chain.accounts[1].address, value: '0x1' })
const [client] = (await ask('web3_clientVersion')).split('/v')
console.log(client, chain.chainId, Number(await ask('eth_blockNumber')))
await close()`

/** The last version of Hardhat's runner for node:test that starts a process for each file, and a version of Hardhat that it is for. */
const PROCESSES = { hardhat: '3.4.0', '@nomicfoundation/hardhat-node-test-runner': '3.0.13' }

const PROCESSES_CONFIG = `
import runner from '@nomicfoundation/hardhat-node-test-runner'
import preseal from 'preseal/hardhat'
export default {
  plugins: [preseal, runner],
  networks: { default: { type: 'edr-simulated', preseal: true } },
  preseal: { gas: { snapshot: true } },
}`

/** Deploys a contract, twice: by a connection that is closed, and by one that stays open. */
const PROCESSES_TEST = `
import { it } from 'node:test'
import { network } from 'hardhat'
for (const isClosed of [true, false]) {
  it(\`deploys, \${isClosed}\`, async () => {
    const { provider, close } = await network.connect()
    const [from] = await provider.request({ method: 'eth_accounts' })
    await provider.request({ method: 'eth_sendTransaction', params: [{ from, data: '0x600160005360016000f3' }] })
    if (isClosed) await close()
  })
}`

const STRICT = {
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  target: 'es2022',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  skipLibCheck: true,
  types: [],
}

const TYPES = `
import { network } from 'hardhat'
import { defineConfig } from 'hardhat/config'
import type { PresealChain } from 'preseal'
import preseal, { type PresealNetworkUserConfig } from 'preseal/hardhat'

const own: PresealNetworkUserConfig = { view: 'live', clock: 'manual' }
export default defineConfig({
  plugins: [preseal],
  preseal: { gas: { snapshot: true, tolerance: 1 } },
  networks: { default: { type: 'edr-simulated', preseal: own }, node: { type: 'edr-simulated', preseal: true } },
})
// @ts-expect-error there is no such view
export const other = defineConfig({ networks: { default: { type: 'edr-simulated', preseal: { view: 'other' } } } })
const connection = await network.create({ chainType: 'l1', override: { preseal: { view: 'standard' } } })
export const chain: PresealChain = connection.preseal
await connection.preseal.advance(200)
`

describe('Hardhat 2, with a chain in its process', () => {
  let hardhat: Hardhat
  beforeAll(async () => {
    const files = {
      'example.config.cjs': read('../../examples/hardhat2/hardhat.config.cjs'),
      'hardhatHelpers.cjs': toJavaScript(helpers, 'cjs'),
    }
    ;({ hardhat } = await createHardhatProject('hardhat2', '20', { type: 'commonjs', files }))
  })

  it.each(['preseal', 'preconf'])(
    'passes the test of every helper and matcher on the network %s',
    async (network) => {
      const { stdout } = await hardhat(['test', '--network', network])
      expect(stdout).toMatch(/34 passing/)
      // console.log is printed once for each included transaction.
      expect(stdout.match(/deposit of \d/g)).toEqual(['deposit of 5', 'deposit of 6', 'deposit of 9'])
    },
  )
})

describe('Hardhat 3', () => {
  let created: HardhatProject
  let project: Project
  let hardhat: Hardhat
  beforeAll(async () => {
    const files = {
      ...readExample(),
      'contracts/AdminProxy.sol': read('stories/AdminProxy.sol'),
      'contracts/ByHand.sol': read('stories/ByHand.sol'),
      'hardhatHelpers.js': toJavaScript(helpers, 'esm'),
      'tsconfig.json': JSON.stringify({
        compilerOptions: STRICT,
        include: ['*.ts', 'example/hardhat.config.ts'],
      }),
      'types.ts': TYPES,
      // Two files, which mocha's parallel workers share.
      'test/snapshot/one.js': read('hardhat3/test/gas/vault.js'),
      'test/snapshot/two.js': read('hardhat3/test/gas/vault.js'),
      'test/snapshotNode/one.js': read('hardhat3/test/gasNode/vault.js'),
      'test/snapshotNode/two.js': read('hardhat3/test/gasNode/vault.js'),
    }
    created = await createHardhatProject('hardhat3', '22', { type: 'module', files })
    ;({ project, hardhat } = created)
  })
  // Where Ignition notes what it has deployed over HTTP, on a chain that has ended.
  beforeEach(() => rm(join(project.folder, 'ignition'), { recursive: true, force: true }))

  describe('with chains in its process', () => {
    it('runs every helper, and the toolbox for mocha and ethers', async () => {
      const { stdout } = await hardhat(['test', 'mocha'])
      expect(stdout).toMatch(/32 passing/)
      expect(stdout.match(/deposit of \d/g)).toEqual(['deposit of 5', 'deposit of 6', 'deposit of 9'])
    })

    it('runs the toolbox for viem', async () => {
      const { stdout } = await hardhat(['--config', 'viem.config.js', 'test', 'nodejs'])
      expect(stdout).toMatch(/7 passing/)
      expect(stdout.match(/deposit of \d/g)).toEqual(['deposit of 5', 'deposit of 5', 'deposit of 9'])
    })

    it('shows the lines of Solidity in which tests fail', async () => {
      const { stdout } = await failed(hardhat(['test', 'mocha'], { TESTS: 'test/failing' }))
      expect(stdout.match(/Solidity: .*\n +at .*/g)?.map((text) => text.split(/\n +/))).toEqual([
        [
          'Solidity: reverted with the panic 0x12 (division or modulo by zero)',
          'at Vault.divide (contracts/Vault.sol:32:16)',
        ],
        ['Solidity: reverted with the reason "not the owner"', 'at Vault.write (contracts/Vault.sol:27:9)'],
        [
          expect.stringMatching(
            /^Solidity: reverted with the custom error TooEarly\(4000000000 \[4e9\], .*\)$/,
          ),
          'at Vault.withdraw (contracts/Vault.sol:36:50)',
        ],
      ])
    })

    it('gives each connection a chain with the options of its network, and closes it', async () => {
      const { stdout } = await hardhat(['test', 'mocha'], { TESTS: 'test/plugin' })
      expect(stdout).toMatch(/17 passing/)
    })

    it('runs the example', async () => {
      const { stdout } = await hardhat(['test', 'mocha'], { TESTS: 'example/test' })
      expect(stdout).toMatch(/3 passing/)
    })

    it('serves a chain as `hardhat node`, and the toolboxes over it', async () => {
      const node = await startNode(created)
      const { stdout: ethers } = await hardhat(
        ['--config', 'http.config.js', 'test', 'mocha', '--network', 'preseal'],
        { PRESEAL_URL: node.url },
      )
      expect(ethers).toMatch(/32 passing/)
      const { stdout: viem } = await hardhat(
        ['--config', 'viem.config.js', 'test', 'nodejs', '--network', 'preseal'],
        { PRESEAL_URL: node.url },
      )
      expect(viem).toMatch(/7 passing/)
      expect(await node.end()).toContain('deposit of 9\n')
    })

    it('refuses networks that contradict themselves, all at once, before anything is done', async () => {
      const { stderr } = await failed(hardhat(['--config', 'bad.config.js', 'test']))
      expect(stderr.match(/^\t\* .*$/gm)?.slice(0, 10)).toMatchInlineSnapshot(`
        [
          "	* Config error in config.networks.twice.preseal.chainId: Expected no value: the option chainId of the network sets it",
          "	* Config error in config.networks.http.preseal: Expected no value: only networks of type 'edr-simulated' can be served by preseal",
          "	* Config error in config.networks.number.preseal: Expected true, false or an object",
          "	* Config error in config.networks.unlimited.blockGasLimit: Expected a number or a bigint, since each block has a gas limit",
          "	* Config error in config.networks.old.hardfork: Expected one of merge, shanghai, cancun, prague, osaka",
          "	* Config error in config.networks.slow.preseal: invalid option preconfInterval: expected at most blockTime (2000)",
          "	* Config error in config.networks.unforked.preseal.fork: Expected no value unless the network has forking, and forking.enabled is not false",
          "	* Config error in config.networks.dated.initialDate: Expected no value, since forking is given: preseal.fork.time sets where time begins",
          "	* Config error in config.networks.uncached.preseal: invalid option fork.offline: expected false unless cache is given",
          "	* Config error in config.networks.optimism.chainType: Expected 'generic' or 'l1', since the chain has the rules of Ethereum",
        ]
      `)
    })

    it("reports for --coverage what Hardhat's own network does", async () => {
      const measure = async (own: boolean) => {
        const args = ['--config', 'gas.config.js', '--coverage', 'test', 'mocha']
        const { stdout } = await hardhat(args, { OWN: String(own), TESTS: 'test/gas' })
        expect(stdout).toMatch(/3 passing/)
        return readFile(join(project.folder, 'coverage/lcov.info'), 'utf8')
      }
      const ours = await measure(false)
      expect(ours).toMatch(/^SF:contracts\/Vault\.sol$/m)
      expect(ours).toMatch(/^DA:\d+,1$/m)
      expect(ours).toMatch(/^DA:\d+,0$/m)
      expect(ours).toBe(await measure(true))
    })

    it("shows a contract the return data, gas and memory that Hardhat's own network does, with coverage and gas reports", async () => {
      const see = async (own: boolean, ...flags: string[]) => {
        const args = ['--config', 'gas.config.js', ...flags, 'test', 'mocha']
        const { stdout } = await hardhat(args, { OWN: String(own), TESTS: 'test/byHand' })
        return [/^returned: .*$/m.exec(stdout)?.[0], /^others: .*$/m.exec(stdout)?.[0]]
      }
      const plain = await see(false)
      expect(plain[0]).toMatch(/^returned: .*reverted with reason string 'no',32,32,32$/)
      expect(await see(true)).toEqual(plain)
      expect(await see(false, '--gas-stats')).toEqual(plain)
      const covered = await see(false, '--coverage')
      expect(covered).toEqual(await see(true, '--coverage'))
      expect(covered[0]).toBe(plain[0])
    })

    it("measures gas for --gas-stats as Hardhat's own network does, without calls", async () => {
      const measure = async (own: boolean) => {
        const file = `gas-${own}.json`
        const args = ['--config', 'gas.config.js', '--gas-stats', '--gas-stats-json', file, 'test', 'mocha']
        const { stdout } = await hardhat(args, { OWN: String(own), TESTS: 'test/gas' })
        expect(stdout).toContain('Gas Usage Statistics')
        return JSON.parse(await readFile(join(project.folder, file), 'utf8')).contracts
      }
      const name = 'contracts/Vault.sol:Vault'
      const ours = await measure(false)
      const { [name]: theirs, ...others } = await measure(true)
      // A call of a view: no transaction.
      const { note, ...functions } = theirs.functions
      expect(note).toMatchObject({ count: 3 })
      expect(ours).toEqual({ [name]: { ...theirs, functions }, ...others })
      expect(Object.keys(functions)).toEqual(['deposit', 'write'])
    })

    it("measures the gas of proxies as Hardhat's own network does, which leaves out what they do themselves", async () => {
      const measure = async (own: boolean) => {
        const file = `proxies-${own}.json`
        const args = ['--config', 'gas.config.js', '--gas-stats', '--gas-stats-json', file, 'test', 'mocha']
        await hardhat(args, { OWN: String(own), TESTS: 'test/proxies' })
        return JSON.parse(await readFile(join(project.folder, file), 'utf8')).contracts
      }
      const name = 'contracts/AdminProxy.sol:AdminProxy'
      const { [name]: proxy, ...others } = await measure(false)
      const { [name]: theirs, ...expected } = await measure(true)
      expect(others).toEqual(expected)
      expect(proxy).toEqual({ ...theirs, functions: { fallback: expect.objectContaining({ count: 2 }) } })
    })

    it('compares gas with a snapshot, of parallel workers too, and fails if it differs', async () => {
      const path = join(project.folder, '.gas-snapshot')
      const config = ['--config', 'snapshot.config.js']
      const env = { CI: '', TESTS: 'test/snapshot' }
      const { stdout: written } = await hardhat([...config, 'test', 'mocha'], env)
      expect(written).toContain('.gas-snapshot was written')
      const snapshot = await readFile(path, 'utf8')
      expect(snapshot).toMatch(/^Vault#write\(uint256\) \(min: (\d+), mean: \1, .*count: 6\)$/m)
      const { stdout: parallel } = await hardhat([...config, 'test'], { ...env, PARALLEL: 'true' })
      expect(parallel).toContain('gas is as in .gas-snapshot')

      const older = snapshot.replace(/(Vault#write.*) max: \d+/, '$1 max: 40000')
      await writeFile(path, older)
      const { stdout: changed } = await failed(hardhat([...config, 'test'], env))
      expect(changed).toMatch(/^Vault#write\(uint256\) +max +40000 → \d+ \(\+\d+, \+[\d.]+ %\)$/m)
      const { stdout: some } = await hardhat([...config, 'test', 'mocha', '--grep', 'closed'], env)
      expect(some).toContain('.gas-snapshot is neither checked nor written: only some tests ran')
      expect(await readFile(path, 'utf8')).toBe(older)
      await hardhat([...config, '--update-gas-snapshot', 'test', 'mocha'], env)
      expect(await readFile(path, 'utf8')).toBe(snapshot)

      const bad = { ...env, GAS: JSON.stringify({ snapshot: 1, tolerance: -1 }) }
      const { stderr } = await failed(hardhat([...config, 'test'], bad))
      // Hardhat prints the message twice, the second time with its stack.
      expect(stderr.match(/^\t\* .*$/gm)?.slice(0, 2)).toEqual([
        '\t* Config error in config.preseal.gas.snapshot: Expected true, false or a path',
        '\t* Config error in config.preseal.gas.tolerance: Expected a number of percent >= 0',
      ])
    }, 600_000)

    it("compares gas in Node's test runner too, with viem", async () => {
      const path = join(project.folder, '.gas-snapshot')
      await rm(path, { force: true })
      const config = ['--config', 'snapshot.config.js']
      const env = { CI: '', RUNNER: 'nodejs', TESTS: 'test/snapshotNode' }
      const { stdout: written } = await hardhat([...config, 'test', 'nodejs'], env)
      expect(written).toMatch(/8 passing/)
      expect(written).toContain('.gas-snapshot was written')
      const snapshot = await readFile(path, 'utf8')
      expect(snapshot).toMatch(/^Vault#write\(uint256\) \(min: (\d+), mean: \1, .*count: 6\)$/m)
      const { stdout: same } = await hardhat([...config, 'test'], env)
      expect(same).toContain('gas is as in .gas-snapshot')

      const older = snapshot.replace(/(Vault#write.*) max: \d+/, '$1 max: 40000')
      await writeFile(path, older)
      const { stdout: changed } = await failed(hardhat([...config, 'test', 'nodejs'], env))
      expect(changed).toMatch(/^Vault#write\(uint256\) +max +40000 → \d+ \(\+\d+, \+[\d.]+ %\)$/m)
      for (const filter of [['--grep', 'closed'], ['--only'], ['test/snapshotNode/one.js']]) {
        const { stdout } = await hardhat([...config, 'test', 'nodejs', ...filter], env)
        expect(stdout).toContain('.gas-snapshot is neither checked nor written: only some tests ran')
      }
      const { stdout: broken } = await failed(hardhat([...config, 'test'], { ...env, FAIL: 'true' }))
      expect(broken).toContain('.gas-snapshot is neither checked nor written: not all tests passed')
      expect(await readFile(path, 'utf8')).toBe(older)
      await hardhat([...config, '--update-gas-snapshot', 'test', 'nodejs'], env)
      expect(await readFile(path, 'utf8')).toBe(snapshot)
    }, 600_000)

    it('has types, which extend those of Hardhat', async () => {
      const { stdout } = await project.run(toolCommand('tsc'), [])
      expect(stdout).toBe('')
    })

    it(`works with Hardhat ${OLDEST}`, async () => {
      const installed = await installPackages('hardhat3-oldest', { hardhat: OLDEST })
      const { hardhat } = linkHardhat(
        await createProject({
          tools: ['hardhat'],
          installed,
          files: { 'hardhat.config.js': OLDEST_CONFIG, 'script.js': OLDEST_SCRIPT },
        }),
        installed,
        '22',
      )
      const { stdout } = await hardhat(['run', '--no-compile', 'script.js'])
      expect(stdout).toBe('HardhatNetwork/preseal 31337 1\n')
    })

    it('compares gas with a snapshot if each file of node:test has a process', async () => {
      const installed = await installPackages('hardhat3-processes', PROCESSES)
      const { project, hardhat } = linkHardhat(
        await createProject({
          tools: Object.keys(PROCESSES),
          installed,
          files: {
            'hardhat.config.js': PROCESSES_CONFIG,
            'test/one.js': PROCESSES_TEST,
            'test/two.js': PROCESSES_TEST,
          },
        }),
        installed,
        '22',
      )
      const test = ['test', 'nodejs', '--no-compile']
      const { stdout: written } = await hardhat(test, { CI: '' })
      expect(written).toContain('.gas-snapshot was written')
      const path = join(project.folder, '.gas-snapshot')
      const snapshot = await readFile(path, 'utf8')
      expect(snapshot).toMatch(/^0x[0-9a-f]{40}#constructor \(min: (\d+), mean: \1, .*count: 4\)\n$/)
      await writeFile(path, snapshot.replace(/max: \d+/, 'max: 40000'))
      const { stdout: changed } = await failed(hardhat(test))
      expect(changed).toContain('gas differs from .gas-snapshot')
    })
  })

  describe('over HTTP', () => {
    /** Runs tests on a served chain. @returns their output, and the output of console.log. */
    async function test(...args: string[]): Promise<{ readonly printed: string; readonly logged: string }> {
      const { url, end } = await serve(project.folder, ['npx', '--offline', 'preseal', ...OPTIONS])
      const { stdout: printed } = await hardhat([...args, '--network', 'preseal'], { PRESEAL_URL: url })
      return { printed, logged: await end() }
    }

    it('runs every helper, and the toolbox for mocha and ethers', async () => {
      const { printed, logged } = await test('--config', 'http.config.js', 'test', 'mocha')
      expect(printed).toMatch(/32 passing/)
      expect(logged).toBe('deposit of 5\ndeposit of 6\ndeposit of 9\n')
    })

    it('runs the toolbox for viem', async () => {
      const { printed, logged } = await test('--config', 'viem.config.js', 'test', 'nodejs')
      expect(printed).toMatch(/7 passing/)
      expect(logged).toBe('deposit of 5\ndeposit of 5\ndeposit of 9\n')
    })
  })

  it("answers as Hardhat's own network, in process, by the plugin and over HTTP", async () => {
    const { stdout } = await hardhat([
      '--config',
      'answers.config.js',
      'test',
      'mocha',
      'test/answers/answers.js',
    ])
    expect(stdout).toMatch(/85 passing/)
    expect(stdout).not.toContain('failing')
  })

  it('words failures of known contracts as Hardhat does', async () => {
    await writeFile(join(project.folder, 'contracts/Failures.sol'), read('stories/Failures.sol'))
    const { stdout } = await hardhat([
      '--config',
      'answers.config.js',
      'test',
      'mocha',
      'test/messages/messages.js',
    ])
    expect(stdout).toMatch(/1 passing/)
  })
})

describe("a suite over OpenZeppelin's tokens", () => {
  let project: Project
  let hardhat: Hardhat
  beforeAll(async () => {
    const files = {
      'contracts/Tokens.sol': read('openzeppelin/contracts/Tokens.sol'),
      // The rest of the suite, which is run by `bench/openZeppelin.ts`, takes longer to compile.
      'test/access.cjs': '',
      'test/utils.cjs': '',
    }
    ;({ project, hardhat } = await createHardhatProject('openzeppelin', '20', { type: 'commonjs', files }))
  })

  it('passes in process', async () => {
    const { stdout } = await hardhat(['test', '--network', 'localhost'])
    expect(stdout).toMatch(/123 passing/)
  })

  it('passes over HTTP', async () => {
    const { url, end } = await serve(project.folder, ['npx', '--offline', 'preseal', ...OPTIONS])
    const { stdout } = await hardhat(['test', '--network', 'served'], { NODE_URL: url })
    expect(stdout).toMatch(/123 passing/)
    await end()
  })
})
