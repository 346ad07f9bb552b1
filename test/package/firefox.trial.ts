/** The package in a page and in workers of Firefox: built by Vite without a configuration, under a strict policy. */
import fc from 'fast-check'
import { preview } from 'vite'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { hex } from '../ethereum/evm/programs.ts'
import { CONTRACTS, contractCodes } from '../ethereum/evm/random/accounts.ts'
import { rulesOf } from '../forks.ts'
import { type Firefox, type FirefoxPage, launchFirefox, SKIPS_FIREFOX } from '../tools/firefox.ts'
import { CHAIN_WORKER, HTML, STRICT, STRICTEST } from './page.ts'
import { createProject, type Project, toolCommand } from './project.ts'
import type { Programs, ProgramsResult } from './stories/programs.ts'
import { CLIENT_TOOLS, CLIENTS, esModules, programs, STORY } from './stories.ts'

/** The codes are the same in each run. */
const SEED = 153
const PROGRAMS: Programs = {
  contracts: CONTRACTS,
  codes: fc
    .sample(fc.noBias(contractCodes(rulesOf('osaka').fork, true)), { seed: SEED, numRuns: 100 })
    .map((codes) => codes.map(hex)),
}

/** A page with each use of the package as a function. */
const MAIN = `
import { connectChain } from 'preseal/worker'
import { clients } from './clients.js'
import { plan } from './plan.js'
import { runPrograms } from './programs.js'
import { story } from './story.js'

const open = (options) =>
  connectChain(new Worker(new URL('./chain.worker.js', import.meta.url), { type: 'module' }), { options })
const ask = (provider, method, ...params) => provider.request({ method, params })

globalThis.uses = {
  story,
  clients: () => clients().then((result) => ({ ...result, balance: String(result.balance) })),
  programs: (engine) => runPrograms(plan, engine),
  async worker() {
    const chain = await open({ mining: 'manual' })
    const preconfBlock = new Promise((resolve) => chain.once('preconf', ({ index }) => resolve(index)))
    await chain.tick()
    await chain.seal()
    const numbers = [chain.preconf, chain.standard].map((provider) => ask(provider, 'eth_blockNumber'))
    const result = [await preconfBlock, ...(await Promise.all(numbers))]
    await chain.close()
    return result
  },
  // The chain is left open.
  async database() {
    const chain = await open({ mining: 'manual', database: 'trial' })
    const [{ address: from }, { address: to }] = chain.accounts
    const before = await ask(chain.standard, 'eth_blockNumber')
    await ask(chain.live, 'eth_sendTransaction', { from, to, value: '0x1' })
    await chain.seal()
    const after = await ask(chain.standard, 'eth_blockNumber')
    return [before, after, await ask(chain.standard, 'eth_getBalance', to, 'latest')]
  },
}`

/** The programs in Node, whose result is printed. */
const IN_NODE = `
import { plan } from './plan.js'
import { runPrograms } from './programs.js'
console.log(JSON.stringify(await runPrograms(plan, 'preseal')))`

describe.skipIf(SKIPS_FIREFOX)('the package in Firefox', () => {
  let project: Project
  let firefox: Firefox | undefined

  beforeAll(async () => {
    project = await createProject({
      tools: [...CLIENT_TOOLS, 'vite'],
      files: {
        ...esModules,
        'programs.js': programs,
        'plan.js': `export const plan = ${JSON.stringify(PROGRAMS)}`,
        'chain.worker.js': CHAIN_WORKER,
        'index.html': HTML,
        'main.js': MAIN,
        'inNode.js': IN_NODE,
      },
    })
    await project.run(toolCommand('vite'), ['build'])
    firefox = await launchFirefox()
  })
  afterAll(() => firefox?.close())
  beforeEach(() => void firefox!.takeMessages())

  /** Opens the page under a policy. */
  async function open(policy: string): Promise<FirefoxPage> {
    const server = await preview({
      root: project.folder,
      configFile: false,
      logLevel: 'silent',
      preview: { host: '127.0.0.1', port: 0, headers: { 'Content-Security-Policy': policy } },
    })
    onTestFinished(() => server.close())
    const page = await firefox!.open(server.resolvedUrls!.local[0]!)
    onTestFinished(() => page.close())
    await page.until("'uses' in globalThis")
    return page
  }

  it.each([
    ['pre-confirms at a tick and seals the same block, with WebAssembly', 'story', STORY],
    ['serves viem and ethers', 'clients', CLIENTS],
    ['runs in a worker', 'worker', [1, '0x1', '0x1']],
  ])('%s, with nothing in the console', async (_, use, outcome) => {
    const page = await open(STRICT)
    expect(await page.evaluate(`uses.${use}()`)).toEqual(outcome)
    expect(firefox!.takeMessages()).toEqual([])
  })

  it('goes without WebAssembly where the policy refuses it, and says so once', async () => {
    const page = await open(STRICTEST)
    expect(await page.evaluate('uses.story()')).toEqual({ ...STORY, wasm: [] })
    const warnings = firefox!.takeMessages().filter((message) => message.startsWith('warn: '))
    expect(warnings).toEqual([expect.stringMatching(/^warn: preseal: WebAssembly cannot be loaded, /)])
  })

  it('continues a chain of IndexedDB when the page is reloaded', async () => {
    const page = await open(STRICT)
    expect(await page.evaluate('uses.database()')).toEqual(['0x0', '0x1', '0x21e19e0c9bab2400001'])
    await page.reload()
    await page.until("'uses' in globalThis")
    expect(await page.evaluate('uses.database()')).toEqual(['0x1', '0x2', '0x21e19e0c9bab2400002'])
    expect(firefox!.takeMessages()).toEqual([])
  })

  it('executes random programs as Node does, in both loops and on both engines', async () => {
    const { stdout } = await project.run(process.execPath, ['inNode.js'])
    const expected = JSON.parse(stdout) as ProgramsResult
    expect(expected.differing).toEqual([])
    expect(expected.succeeded).toBeGreaterThan(40)
    const page = await open(STRICT)
    for (const engine of ['preseal', 'ethereumjs']) {
      expect(await page.evaluate(`uses.programs('${engine}')`)).toEqual(expected)
    }
  })
})
