import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { recordGas, type TestEnvironment, type TestTask } from '../../../src/kits/hardhat/gasSnapshot.ts'
import { environmentHooks } from '../../../src/kits/hardhat/hooks.ts'
import { mochaHooks, url } from '../../../src/kits/hardhat/mochaWorker.ts'
import { Token } from '../../contracts/artifacts.ts'
import { startChain } from '../../harness.ts'

const DEPLOYED =
  '0x5fbdb2315678afecb367f032d93f642f64180aa3#constructor (min: 389582, mean: 389582, median: 389582, max: 389582, size: 1337, count: 1)\n'

let root: string
let exitCode: typeof process.exitCode
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'preseal-snapshot-'))
  vi.stubEnv('CI', '')
  exitCode = process.exitCode
  process.exitCode = undefined
  return async () => {
    process.exitCode = exitCode
    vi.unstubAllEnvs()
    await rm(root, { recursive: true })
  }
})

/** Connects to a chain, as a test does, and deploys a contract. */
type Connect = () => Promise<void>

/** An environment with the tasks `test`, `test mocha` and `test solidity`. */
async function createEnvironment(
  runTests: (connect: Connect) => Promise<unknown>,
  { update = false, parallel = false, tolerance = 0 } = {},
) {
  const hooks = {}
  const connect: Connect = async () => {
    const chain = await startChain({ mining: 'auto' })
    const end = await recordGas(hooks, chain)
    const params = [{ from: chain.accounts[0]!.address, data: Token.bytecode }]
    await chain.standard.request({ method: 'eth_sendTransaction', params } as never)
    await end?.()
  }
  const toTask = (run: () => Promise<unknown>): TestTask => ({ subtasks: new Map(), run })
  const subtasks = new Map([
    ['solidity', toTask(async () => ({ success: true }))],
    ['mocha', toTask(() => runTests(connect))],
  ])
  const all: TestTask = {
    subtasks,
    async run(given) {
      await subtasks.get('solidity')!.run(given)
      return subtasks.get('mocha')!.run(given)
    },
  }
  const mocha: { parallel: boolean; require?: string | string[] } = { parallel, require: 'own.js' }
  const environment: TestEnvironment = {
    hooks,
    config: { paths: { root, cache: join(root, 'cache') }, test: { mocha } },
    globalOptions: { updateGasSnapshot: update },
    artifacts: {
      getAllBuildInfoIds: async () => new Set(),
      getBuildInfoPath: async () => undefined,
      getBuildInfoOutputPath: async () => undefined,
    },
    tasks: { getTask: () => all },
  }
  const preseal = { gas: { snapshot: 'gas.txt', tolerance } }
  const config = { ...environment.config, preseal }
  await environmentHooks.created({ hooks }, { ...environment, config })
  return { all, runner: subtasks.get('mocha')!, solidity: subtasks.get('solidity')!, connect, mocha }
}

/** Runs a task. @returns what was printed, and the exit code that was set. */
async function run(task: TestTask, given: Parameters<TestTask['run']>[0] = {}) {
  const lines: string[] = []
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  onTestFinished(() => write.mockRestore())
  const result = await task.run(given)
  write.mockRestore()
  return { result, printed: lines.join(''), exitCode: process.exitCode }
}

const passes = async (connect: Connect) => {
  await connect()
  return { success: true }
}
const readSnapshot = () => readFile(join(root, 'gas.txt'), 'utf8')
const writeSnapshot = (text: string) => writeFile(join(root, 'gas.txt'), text)

describe('the gas snapshot of Hardhat', () => {
  it('is written if there is none, and compared once by the outermost task', async () => {
    const { all, runner } = await createEnvironment(passes)
    expect(await run(all)).toEqual({
      result: { success: true },
      printed: 'gas.txt was written\n\n',
      exitCode: undefined,
    })
    expect(await readSnapshot()).toBe(DEPLOYED)
    expect(await run(runner)).toMatchObject({ printed: 'gas is as in gas.txt\n\n', exitCode: undefined })
  })

  it('fails the run if a number differs by more than the tolerance, and is left alone', async () => {
    const stored = DEPLOYED.replace('max: 389582', 'max: 389000')
    await writeSnapshot(stored)
    const failed = await run((await createEnvironment(passes)).all)
    expect(failed).toMatchObject({ result: { success: true }, exitCode: 1 })
    expect(failed.printed).toContain('max     389000 → 389582 (+582, +0.15 %)\ngas differs from gas.txt\n')
    process.exitCode = undefined
    expect(await run((await createEnvironment(passes, { tolerance: 1 })).all)).toMatchObject({
      printed: 'gas is as in gas.txt, within 1 %\n\n',
      exitCode: undefined,
    })
    expect(await readSnapshot()).toBe(stored)
  })

  it('is written again by --update-gas-snapshot', async () => {
    await writeSnapshot('old')
    const { all } = await createEnvironment(passes, { update: true })
    expect(await run(all)).toMatchObject({ printed: 'gas.txt was written\n\n', exitCode: undefined })
    expect(await readSnapshot()).toBe(DEPLOYED)
  })

  it('is not written in CI', async () => {
    vi.stubEnv('CI', 'true')
    const { printed, exitCode } = await run((await createEnvironment(passes)).all)
    expect(printed).toContain('gas.txt does not exist: expected the numbers of a former run')
    expect(exitCode).toBe(1)
  })

  it.each([
    ['files are given', { testFiles: ['a.js'] }, { success: true }, 'only some tests ran'],
    ['a name is given', { grep: 'a' }, { success: true }, 'only some tests ran'],
    ['names are excluded', { grepExclude: 'a' }, { success: true }, 'only some tests ran'],
    ['marked tests run', { only: true }, { success: true }, 'only some tests ran'],
    ['a test fails', {}, { success: false }, 'not all tests passed'],
  ])('is left alone if %s', async (_case, given, result, reason) => {
    const { all } = await createEnvironment(async (connect) => {
      await connect()
      return result
    })
    const ended = await run(all, given)
    expect(ended).toEqual({
      result,
      printed: `gas.txt is neither checked nor written: ${reason}\n\n`,
      exitCode: undefined,
    })
    await expect(readSnapshot()).rejects.toThrow('ENOENT')
  })

  it('has no chains that are opened before the tests, and is no matter of tests in Solidity', async () => {
    const { all, solidity, connect } = await createEnvironment(passes)
    await connect()
    expect((await run(solidity)).printed).toBe('')
    await run(all)
    expect(await readSnapshot()).toBe(DEPLOYED)
  })

  it("has what mocha's parallel workers recorded, each time that they are done with a file", async () => {
    const { all, mocha } = await createEnvironment(
      async (connect) => {
        vi.stubEnv('MOCHA_WORKER_ID', '0')
        for (let file = 0; file < 2; file++) {
          await connect()
          await mochaHooks.afterAll()
        }
        return { success: true }
      },
      { parallel: true },
    )
    await run(all)
    expect(await readSnapshot()).toBe(DEPLOYED.replace('count: 1', 'count: 2'))
    expect(mocha.require).toEqual(['own.js', url])
  })

  it('throws what a task throws, and compares nothing', async () => {
    const { all } = await createEnvironment(() => Promise.reject(new Error('no compiler')))
    await expect(run(all)).rejects.toThrow('no compiler')
    await expect(readSnapshot()).rejects.toThrow('ENOENT')
  })
})
