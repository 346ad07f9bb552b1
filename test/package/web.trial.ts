/** The package behind MSW, in Storybook and in a service worker: the examples, in Node and in pages. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { type PreviewServer, preview } from 'vite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import requireChromium, { LAUNCH_OPTIONS, SKIPS_CHROMIUM } from '../tools/chromium.ts'
import { install, installPackages } from './install.ts'
import { createProject, nodeCommand, type Project, toJavaScript } from './project.ts'

const EXAMPLES = join(import.meta.dirname, '../../examples')
const SOURCE = join(import.meta.dirname, 'web')
const { dependencies } = JSON.parse(readFileSync(join(SOURCE, 'package.json'), 'utf8'))

/** One for all, since each run of the compiler reads wagmi's types. */
const TSCONFIG = {
  extends: './playwright/tsconfig.json',
  compilerOptions: { lib: ['es2022', 'dom', 'dom.iterable', 'webworker'], skipLibCheck: true },
  include: ['msw', 'storybook', 'storybook/.storybook', 'serviceWorker'],
}

/** The files of the examples. All of them show the dapp of the example of Playwright. */
function readExamples(): Readonly<Record<string, string>> {
  const paths = ['msw', 'storybook', 'serviceWorker'].flatMap((name) =>
    readdirSync(join(EXAMPLES, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name: file }) => relative(EXAMPLES, join(parentPath, file))),
  )
  const files = [...paths, 'playwright/wagmi/app.tsx', 'playwright/tsconfig.json']
  const texts = files.map((path) => [path, readFileSync(join(EXAMPLES, path), 'utf8')])
  return { ...Object.fromEntries(texts), 'tsconfig.json': JSON.stringify(TSCONFIG) }
}

const trial = it.skipIf(SKIPS_CHROMIUM)

describe('the package in web tools', () => {
  let installed: string
  let project: Project
  let browser: Browser | undefined

  beforeAll(async () => {
    requireChromium()
    installed = await install(SOURCE, { PATH: `${dirname(nodeCommand('22'))}:${process.env['PATH']}` })
    project = await createProject({ tools: Object.keys(dependencies), installed, files: readExamples() })
    if (!SKIPS_CHROMIUM) browser = await chromium.launch(LAUNCH_OPTIONS)
  })
  afterAll(() => browser?.close())

  const run = (tool: string, ...args: readonly string[]) =>
    project.run(join(installed, 'node_modules/.bin', tool), args)

  /** Serves what a tool has built. */
  async function serveFolder(root: string, outDir: string): Promise<{ url: string; server: PreviewServer }> {
    const server = await preview({
      root: join(project.folder, root),
      configFile: false,
      logLevel: 'silent',
      build: { outDir },
      preview: { host: '127.0.0.1', port: 0 },
    })
    return { url: server.resolvedUrls!.local[0]!, server }
  }

  async function openContext(): Promise<BrowserContext> {
    const context = await browser!.newContext()
    onTestFinished(() => context.close())
    return context
  }

  /** Waits until a page shows a text. */
  const waitFor = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor()

  async function connectAndSend(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Connect Mock Connector' }).click()
    await page.getByRole('button', { name: 'Send 1 ETH' }).click()
  }

  it('compiles the examples', async () => {
    expect((await run('tsc')).stdout).toBe('')
  })

  it('answers requests to the URL of a node in a test in Node, by MSW', async () => {
    // MSW 3 needs Node 22.
    const { stdout } = await project.run(nodeCommand('22'), ['--test', 'msw/transfer.test.ts'])
    expect(stdout).toMatch(/^# pass 1$/m)
  })

  it('answers them by MSW 2 on Node 20', async () => {
    const older = await installPackages('msw', { msw: '2.15.0' })
    const files = ['handlers', 'transfer.test'].map((name) => {
      const code = toJavaScript(readFileSync(join(EXAMPLES, `msw/${name}.ts`), 'utf8'), 'esm')
      const text = code.replace("'./handlers.ts'", "'./handlers.js'")
      return [`${name}.js`, text.replace('onUnhandledFrame', 'onUnhandledRequest')]
    })
    const { run } = await createProject({
      tools: ['viem'],
      installed,
      others: { msw: older },
      files: Object.fromEntries(files),
    })
    expect((await run(nodeCommand('20'), ['--test', 'transfer.test.js'])).stdout).toMatch(/^# pass 1$/m)
  })

  trial('answers them in a page, by MSW', async () => {
    const command = join(installed, 'node_modules/msw/cli/index.js')
    await project.run(nodeCommand('22'), [command, 'init', 'msw/public', '--no-save'])
    await run('vite', 'build', 'msw')
    const { url, server } = await serveFolder('msw', 'dist')
    onTestFinished(() => server.close())
    const page = await (await openContext()).newPage()
    await page.goto(url)
    await connectAndSend(page)
    await waitFor(page, 'Pre-confirmed: 10001')
    await waitFor(page, 'Sealed: 10001')
    await waitFor(page, 'Receipt: in block 1')
  })

  trial('shows each situation of a transfer as a story', async () => {
    await run(
      'storybook',
      'build',
      '--config-dir',
      'storybook/.storybook',
      '--output-dir',
      'stories',
      '--quiet',
    )
    const { url, server } = await serveFolder('.', 'stories')
    onTestFinished(() => server.close())
    const context = await openContext()
    for (const [story, ...texts] of [
      ['preconfirmed', 'success', 'Pre-confirmed: 10001', 'Sealed: 10000', 'Receipt: in block 1'],
      ['sealed', 'success', 'Pre-confirmed: 10001', 'Sealed: 10001', 'Receipt: in block 1'],
      ['retracted', 'success', 'Pre-confirmed: 10000', 'Sealed: 10000'],
      ['rejected', 'User rejected the request.', 'Pre-confirmed: 10000', 'Sealed: 10000', 'Receipt: none'],
    ] as const) {
      const page = await context.newPage()
      await page.goto(`${url}iframe.html?id=transfer--${story}&viewMode=story`)
      // What Storybook says once the play function has ended: an error fails the story, but not the page.
      const finished = await page.waitForFunction('__STORYBOOK_ADDONS_CHANNEL__.last("storyFinished")?.[0]')
      expect(await finished.jsonValue()).toMatchObject({ storyId: `transfer--${story}`, status: 'success' })
      for (const text of texts) await waitFor(page, text)
      await page.close()
    }
  })

  trial(
    'answers a page from its service worker, which is ended and started again, without a network',
    async () => {
      await run('vite', 'build', 'serviceWorker')
      await run(
        'esbuild',
        'serviceWorker/sw.ts',
        '--bundle',
        '--minify',
        '--outfile=serviceWorker/dist/sw.js',
      )
      const { url, server } = await serveFolder('serviceWorker', 'dist')
      const context = await openContext()
      const page = await context.newPage()
      await page.goto(url)
      await connectAndSend(page)
      await waitFor(page, 'Pre-confirmed: 10001')
      await waitFor(page, 'Sealed: 10001')

      await server.close()
      const devTools = await context.newCDPSession(page)
      await devTools.send('ServiceWorker.enable')
      await devTools.send('ServiceWorker.stopAllWorkers')
      await page.reload()
      await page.getByRole('button', { name: 'Connect Mock Connector' }).click()
      await waitFor(page, 'Sealed: 10001')
      await page.getByRole('button', { name: 'Send 1 ETH' }).click()
      await waitFor(page, 'Sealed: 10002')
    },
  )
})
