/**
 * Hardhat with its helpers and toolboxes: Hardhat 2 on a chain in its process, Hardhat 3 over HTTP; a part of a suite over
 * OpenZeppelin's contracts on both.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { install } from './install.ts'
import { createProject, nodeCommand, type Project, type ProjectOptions, toJavaScript } from './project.ts'
import type { Output } from './run.ts'
import { serve } from './served.ts'

const read = (...path: string[]) => readFileSync(join(import.meta.dirname, ...path), 'utf8')
const helpers = read('stories/hardhatHelpers.ts')

/** The options of a node for Hardhat, as in the README. */
const OPTIONS = '--dialect hardhat --mining auto --accounts 20 --console'.split(' ')

/** Runs Hardhat in a project, without prompts, telemetry and files elsewhere. */
type Hardhat = (args: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Output>

/** A project with the files of a folder here, the dependencies of its package.json, and a contract. */
async function createHardhatProject(
  folder: string,
  node: '20' | '22',
  { type, files }: Required<Pick<ProjectOptions, 'type' | 'files'>>,
): Promise<{ readonly project: Project; readonly hardhat: Hardhat }> {
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
  const command = join(installed, 'node_modules/.bin/hardhat')
  const quiet = { CI: 'true', HARDHAT_DISABLE_TELEMETRY_PROMPT: 'true', HOME: project.folder }
  const hardhat: Hardhat = (args, env) => project.run(command, args, { env: { PATH, ...quiet, ...env } })
  return { project, hardhat }
}

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

describe('Hardhat 3, over HTTP', () => {
  let project: Project
  let hardhat: Hardhat
  beforeAll(async () => {
    const files = {
      'example.config.ts': read('../../examples/hardhat3/hardhat.config.ts'),
      'hardhatHelpers.js': toJavaScript(helpers, 'esm'),
    }
    ;({ project, hardhat } = await createHardhatProject('hardhat3', '22', { type: 'module', files }))
  })

  /** Runs tests on a served chain. @returns their output, and the output of console.log. */
  async function test(...args: string[]): Promise<{ readonly printed: string; readonly logged: string }> {
    const { url, end } = await serve(project.folder, ['npx', '--offline', 'preseal', ...OPTIONS])
    const { stdout: printed } = await hardhat([...args, '--network', 'preseal'], { PRESEAL_URL: url })
    return { printed, logged: await end() }
  }

  it('runs every helper, and the toolbox for mocha and ethers', async () => {
    const { printed, logged } = await test('test', 'mocha')
    expect(printed).toMatch(/32 passing/)
    expect(logged).toBe('deposit of 5\ndeposit of 6\ndeposit of 9\n')
  })

  it("answers as Hardhat's own network, in process and over HTTP", async () => {
    const { stdout } = await hardhat(['test', 'mocha', 'test/answers/answers.js'])
    expect(stdout).toMatch(/84 passing/)
    expect(stdout).not.toContain('failing')
  })

  it('runs the toolbox for viem', async () => {
    const { printed, logged } = await test('--config', 'viem.config.js', 'test', 'nodejs')
    expect(printed).toMatch(/7 passing/)
    expect(logged).toBe('deposit of 5\ndeposit of 5\ndeposit of 9\n')
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
    const { stdout } = await hardhat(['test', '--network', 'node'], { NODE_URL: url })
    expect(stdout).toMatch(/123 passing/)
    await end()
  })
})
