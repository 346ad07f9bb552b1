/** The package in a page and in a worker: built by Vite without a configuration, under a Content-Security-Policy. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createChain } from '../../src/index.ts'
import { serve } from '../../src/kits/server/index.ts'
import requireChromium, { LAUNCH_OPTIONS, SKIPS_CHROMIUM } from '../tools/chromium.ts'
import { type ForkedNode, prepare } from './forked.ts'
import { buildProject, CHAIN_WORKER, readPage, STORY_PAGE, STRICT, STRICTEST, servePage } from './page.ts'
import { READ_ALLOC, readAlloc } from './predeploys.ts'
import type { Project } from './project.ts'
import { CLIENTS, STORY } from './stories.ts'

/** One page per use of the package; each leaves its outcome in `result`. */
const PAGES: Readonly<Record<string, string>> = {
  story: STORY_PAGE,
  clients: `
import { clients } from './clients.js'
globalThis.result = clients().then((result) => ({ ...result, balance: String(result.balance) }))`,
  handler: `
import { createChain } from 'preseal'
import { createHandler } from 'preseal/server'
const chain = await createChain({ mining: 'manual' })
const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const headers = { 'Content-Type': 'application/json' }
const answer = await createHandler(chain.preconf)(new Request(location.href, { method: 'POST', headers, body }))
globalThis.result = answer.json()`,
  predeploys: `
import { createChain } from 'preseal'
${READ_ALLOC}
globalThis.result = alloc`,
  worker: `
import { connectChain } from 'preseal/worker'
const worker = new Worker(new URL('./chain.worker.js', import.meta.url), { type: 'module' })
const chain = await connectChain(worker, { options: { mining: 'manual' } })
const preconfBlock = new Promise((resolve) => chain.once('preconf', ({ index }) => resolve(index)))
const number = (provider) => provider.request({ method: 'eth_blockNumber' })
await chain.tick()
await chain.seal()
const result = [await preconfBlock, await number(chain.preconf), await number(chain.standard)]
await chain.close()
worker.terminate()
globalThis.result = result`,
  ownWorker: `
const worker = new Worker(new URL('./ownWorker.worker.js', import.meta.url), { type: 'module' })
globalThis.result = new Promise((resolve) => {
  worker.onmessage = ({ data }) => resolve(data)
  worker.onerror = ({ message }) => resolve(message)
})`,
}

/** Without top-level await: Vite's workers are not modules. */
const WORKERS = {
  'chain.worker.js': CHAIN_WORKER,
  'ownWorker.worker.js': `
import { story } from './story.js'
story().then(postMessage)`,
}

/** A page whose `result` is what a fork in a worker shows, and then does; its cache is in IndexedDB. */
const forkPage = ({ url, counter, sent, expected }: ForkedNode): string => `
import { connectChain } from 'preseal/worker'
const worker = new Worker(new URL('./chain.worker.js', import.meta.url), { type: 'module' })
// Loaded again, the page asks the node for nothing.
const offline = localStorage.getItem('forked') !== null
const fork = { url: '${url}', block: '${expected.forked[1]}', cache: 'fork', offline }
const chain = await connectChain(worker, { options: { mining: 'manual', fork } })
const ask = (provider, method, ...params) => provider.request({ method, params })
const value = (tag) => ask(chain.standard, 'eth_getStorageAt', '${counter}', '0x0', tag).then(Number)
const { status, blockNumber } = await ask(chain.standard, 'eth_getTransactionReceipt', '${sent}')
const [{ address: from }] = chain.accounts
const before = await value('latest')
await ask(chain.preconf, 'eth_sendTransaction', { from, to: '${counter}', data: '0x${'5'.padStart(64, '0')}' })
await chain.seal()
const result = [status, blockNumber, before, await value('latest')]
await chain.close()
worker.terminate()
localStorage.setItem('forked', 'yes')
globalThis.result = result`

/** Builds a project whose page is one of {@link PAGES}. */
const buildPage = (name: string, main = PAGES[name]!) => buildProject({ ...WORKERS, 'main.js': main })

let browser: Browser
describe('the package in a page', () => {
  beforeAll(async () => {
    requireChromium()
    browser = await chromium.launch(LAUNCH_OPTIONS)
  })
  afterAll(() => browser?.close())

  const open = (project: Project, policy: string) => readPage(browser, project, policy)
  const openPage = (project: Project, policy: string) => servePage(browser, project, policy)

  const OUTCOMES: Readonly<Record<string, unknown>> = {
    story: STORY,
    clients: CLIENTS,
    predeploys: readAlloc(),
    handler: { jsonrpc: '2.0', id: 1, result: '0x7a69' },
    worker: [1, '0x1', '0x1'],
    ownWorker: STORY,
  }

  const trial = it.skipIf(SKIPS_CHROMIUM)

  describe.each(Object.keys(PAGES))('a page: %s', (name) => {
    trial('runs, with nothing of Node in it and nothing in the console', async () => {
      const { project, log } = await buildPage(name)
      expect(log).not.toMatch(/externalized|node:/)
      expect(await open(project, STRICT)).toEqual({ result: await OUTCOMES[name], messages: [] })
    })
  })

  trial('runs the page of the documentation', async () => {
    const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
    const { project } = await buildProject({
      'index.html': await read('docs/snippets/page.html'),
      'main.ts': `${await read('examples/quickStart.ts')}globalThis.result = 'sealed'`,
    })
    const { result, messages } = await open(project, STRICT)
    expect(result).toBe('sealed')
    expect(messages).toEqual([
      expect.stringMatching(/^log: pre-confirmed in block \d: bob has 10001 ether$/),
      'log: sealed with the pre-confirmed hash: true',
    ])
  })

  trial('goes without WebAssembly where the policy refuses it, and says so once', async () => {
    const { project } = await buildPage('story')
    const { result, messages } = await open(project, STRICTEST)
    expect(result).toEqual({ ...STORY, wasm: [] })
    expect(messages).toEqual([expect.stringMatching(/^warning: preseal: WebAssembly cannot be loaded, /)])
  })

  trial('goes without WebAssembly in a worker too', async () => {
    const { project } = await buildPage('ownWorker')
    expect((await open(project, STRICTEST)).result).toEqual({ ...STORY, wasm: [] })
  })

  trial('forks a chain by fetch, and goes on from its cache once the node is gone', async () => {
    const remote = await createChain({ mining: 'auto' })
    onTestFinished(() => remote.close())
    const server = await serve(remote, { port: 0, preconfPort: 0 })
    onTestFinished(() => server.close())
    const node = await prepare(server.url)
    const { project, log } = await buildPage('fork', forkPage(node))
    expect(log).not.toMatch(/externalized|node:/)
    const { page, messages } = await openPage(project, STRICT)
    const expected = ['0x1', '0x2', 7, 12]
    expect(await page.evaluate(() => Reflect.get(globalThis, 'result'))).toEqual(expected)
    expect(messages).toEqual([])
    await server.close()
    await page.reload()
    await page.waitForFunction(() => 'result' in globalThis)
    expect(await page.evaluate(() => Reflect.get(globalThis, 'result'))).toEqual(expected)
  })

  trial('brings a page neither a server nor a client that it does not import', async () => {
    const { project } = await buildPage('story')
    const assets = join(project.folder, 'dist/assets')
    const names = (await readdir(assets)).filter((name) => name.endsWith('.js'))
    const texts = await Promise.all(names.map((name) => readFile(join(assets, name), 'utf8')))
    const foreign = /WebSocket|viem@|ethers|createServer/
    expect(names.filter((_, at) => foreign.test(texts[at]!))).toEqual([])
  })
})
