/** preseal/playwright in Playwright's own runner: the examples with their apps, the fixtures, and the oldest version. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import requireChromium, { LAUNCH_OPTIONS, SKIPS_CHROMIUM } from '../tools/chromium.ts'
import { install, installPackages } from './install.ts'
import { createProject, type Project } from './project.ts'
import type { Output } from './run.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples/playwright')
const SOURCE = join(import.meta.dirname, 'playwright')
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** The lowest version of the peer range. */
const [OLDEST] = /\d+\.\d+\.\d+/.exec(
  manifestOf(join(import.meta.dirname, '../..')).peerDependencies['@playwright/test'],
)!

/** The files of the examples, with other ports than a developer's own server may have. */
async function readExamples(): Promise<Readonly<Record<string, string>>> {
  const [first, second] = await Promise.all([findPort(), findPort()])
  const paths = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\.\w+$/.test(path),
  )
  const textOf = (path: string) =>
    readFileSync(join(EXAMPLES, path), 'utf8').replaceAll('5173', `${first}`).replaceAll('5174', `${second}`)
  return Object.fromEntries(paths.map((path) => [path, textOf(path)]))
}

function findPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address() as { readonly port: number }
      server.close(() => resolve(port))
    })
  })
}

const CONFIG = `
import { defineConfig } from '@playwright/test'
export default defineConfig({
  testMatch: '*.spec.ts',
  use: { browserName: 'chromium', launchOptions: ${JSON.stringify({
    ...LAUNCH_OPTIONS,
    chromiumSandbox: false,
  })} },
})`

/** Opens a page without a server. */
const OPEN = `
const open = async (page) => {
  await page.route('http://dapp.test/**', (route) => route.fulfill({ contentType: 'text/html', body: '<title>dapp</title>' }))
  await page.goto('http://dapp.test/')
}
const request = (page, method, params = []) =>
  page.evaluate(
    ([method, params]) => window.ethereum.request({ method, params }).catch(({ code, message }) => [code, message]),
    [method, params],
  )`

/** Uses of the fixtures that have to pass. */
const FIXTURES = `
import { mergeTests, test as base } from '@playwright/test'
import { createTest, expect, test } from 'preseal/playwright'
${OPEN}
let last

test.describe.configure({ mode: 'serial' })

test('a chain and a wallet', async ({ page, chain, wallet }) => {
  last = { chain, wallet, provider: chain.live }
  await open(page)
  expect(await request(page, 'eth_requestAccounts')).toEqual([chain.accounts[0].address])
  await chain.setBalance(chain.accounts[0].address, 5n)
  expect(await request(page, 'eth_getBalance', [chain.accounts[0].address])).toBe('0x5')
  wallet.hold()
  // Left open by a test that passes.
  void request(page, 'eth_sendTransaction', [{ to: chain.accounts[1].address }]).catch(() => {})
  await wallet.waitForPrompt()
})

test('nothing of the test before', async ({ page, chain, wallet }) => {
  expect(last.provider.closed).toBe(true)
  await expect(last.chain.seal()).rejects.toMatchObject({ code: 4900 })
  expect(last.wallet.openPrompts).toEqual([])
  await open(page)
  expect(await request(page, 'eth_accounts')).toEqual([])
  expect(await request(page, 'eth_getBalance', [chain.accounts[0].address])).not.toBe('0x5')
})

test('pages and contexts that a test opens itself', async ({ browser, page, wallet }) => {
  const other = await browser.newPage()
  await open(other)
  expect(await request(other, 'eth_requestAccounts')).toHaveLength(1)
  expect((await wallet.inContext(other.context())).context).toBe(other.context())
  await other.close()
})

test('the system clock', async ({ chain }) => {
  await expect(chain.advance(1)).rejects.toMatchObject({ name: 'ClockNotManualError' })
})

test.describe('options', () => {
  test.use({ chainClock: 'manual', chainOptions: { chainId: 8453 }, walletOptions: { connected: true } })
  test('apply', async ({ page, chain }) => {
    await open(page)
    expect(await request(page, 'eth_accounts')).toEqual([chain.accounts[0].address])
    expect(await request(page, 'eth_chainId')).toBe('0x2105')
    const before = await page.evaluate(() => Date.now())
    await chain.advance(2000)
    expect(await request(page, 'eth_blockNumber')).toBe('0x1')
    expect((await page.evaluate(() => Date.now())) - before).toBeGreaterThanOrEqual(2000)
  })
})

const merged = mergeTests(createTest({ walletOptions: { account: 1 } }), base.extend({ greeting: 'hello' }))
merged('a merged test', async ({ page, chain, greeting }) => {
  await open(page)
  expect([greeting, await request(page, 'eth_requestAccounts')]).toEqual(['hello', [chain.accounts[1].address]])
})
`

/** Tests that have to fail. */
const FAILURES = `
import { expect, test } from 'preseal/playwright'
${OPEN}
test('a prompt', async ({ page, wallet }) => {
  wallet.hold()
  await open(page)
  void request(page, 'eth_requestAccounts').catch(() => {})
  await wallet.waitForPrompt()
  expect('the test').toBe('wrong')
})
test('a hook', async ({ page, wallet }) => {
  wallet.onPrompt(() => { throw new Error('of the hook') })
  await open(page)
  await request(page, 'eth_requestAccounts')
})
test('a rejection that no prompt uses', async ({ page, wallet }) => {
  wallet.rejectNext('eth_sendTransaction')
  await open(page)
  await request(page, 'eth_requestAccounts')
})
test.describe('an option', () => {
  test.use({ walletOptions: { account: 99 } })
  test('is refused', async ({ page }) => open(page))
})
test.describe('a clock', () => {
  test.use({ chainOptions: { clock: {} } })
  test('is refused', async ({ page }) => open(page))
})
test.describe('a manual clock', () => {
  test.use({ chainClock: 'manual' })
  const send = async (page, chain) => {
    await open(page)
    const [from] = await request(page, 'eth_requestAccounts')
    await request(page, 'eth_sendTransaction', [{ from, to: chain.accounts[1].address, value: '0x1' }])
  }
  test('is never advanced', async ({ page, chain }) => {
    await send(page, chain)
    await expect(page.getByText('1 wei')).toBeVisible({ timeout: 500 })
  })
  test('is advanced too little', async ({ page, chain }) => {
    await send(page, chain)
    await chain.advance(200)
    await page.getByText('1 wei').click({ timeout: 500 })
  })
})
`

const trial = it.skipIf(SKIPS_CHROMIUM)

describe('the package in Playwright', () => {
  let installed: string
  beforeAll(async () => {
    requireChromium()
    installed = SKIPS_CHROMIUM ? '' : await install(SOURCE, { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' })
  })

  const createPlaywrightProject = (
    files: Readonly<Record<string, string>>,
    type: 'module' | 'commonjs' = 'module',
  ): Promise<Project> =>
    createProject({ type, tools: Object.keys(manifestOf(SOURCE).dependencies), installed, files })

  const run = (project: Project, folder = installed): Promise<Output> =>
    project.run(
      join(folder, 'node_modules/.bin/playwright'),
      ['test', '--workers', '1', '--reporter', 'list'],
      {
        env: { CHROMIUM: LAUNCH_OPTIONS.executablePath ?? '', CI: '' },
        timeout: 540_000,
      },
    )

  trial.each(['module', 'commonjs'] as const)(
    'passes the examples of wagmi and ethers, in %s',
    async (type) => {
      const project = await createPlaywrightProject(await readExamples(), type)
      const { stdout } = await run(project)
      expect(stdout).toMatch(/ 12 passed/)
      // Each app is served by a Vite of its own, at the same time.
      const caches = ['wagmi', 'ethers', '.'].map((app) =>
        existsSync(join(project.folder, app, 'node_modules/.vite')),
      )
      expect(caches).toEqual([true, true, false])
    },
    600_000,
  )

  trial('compiles the examples', async () => {
    const project = await createPlaywrightProject(await readExamples())
    const compiled = await project.run(join(installed, 'node_modules/.bin/tsc'), ['--skipLibCheck'])
    expect(compiled.stdout).toBe('')
  })

  trial(
    'gives each test a chain and wallets of its own',
    async () => {
      const { stdout } = await run(
        await createPlaywrightProject({ 'playwright.config.ts': CONFIG, 'fixtures.spec.ts': FIXTURES }),
      )
      expect(stdout).toMatch(/ 6 passed/)
    },
    600_000,
  )

  trial(
    'says what is wrong',
    async () => {
      const project = await createPlaywrightProject({
        'playwright.config.ts': CONFIG,
        'failures.spec.ts': FAILURES,
      })
      const { stdout } = await run(project).catch(({ cause }: { readonly cause: Output }) => cause)
      expect(stdout).toMatch(/ 7 failed/)
      for (const message of [
        'PromptsOpenError: 1 prompt was open when the test ended: eth_requestAccounts',
        'Error: of the hook',
        "RejectionsLeftError: 1 rejection was not used when the test ended: wallet.rejectNext('eth_sendTransaction'); prompts opened for eth_requestAccounts",
        'InvalidOptionError: invalid option walletOptions.account: expected an index of chain.accounts, or an address',
        'InvalidOptionError: invalid option chainOptions.clock: expected no value: the option chainClock chooses the clock',
        'TransactionsLeftError: 1 transaction was waiting for a tick when the test ended; the manual clock was advanced by 0 ms; expected await chain.advance(ms)',
        'TransactionsLeftError: 1 transaction was waiting for the seal when the test ended; the manual clock was advanced by 200 ms; expected await chain.advance(ms)',
      ]) {
        expect(stdout).toContain(message)
      }
    },
    600_000,
  )

  trial(
    `runs with Playwright ${OLDEST}`,
    async () => {
      const folder = await installPackages('playwright-oldest', { '@playwright/test': OLDEST })
      const project = await createProject({
        tools: ['@playwright/test'],
        installed: folder,
        files: { 'playwright.config.ts': CONFIG, 'fixtures.spec.ts': FIXTURES },
      })
      const { stdout } = await run(project, folder)
      expect(stdout).toMatch(/ 6 passed/)
    },
    600_000,
  )
})
