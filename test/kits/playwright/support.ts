/** Wallets of `preseal/playwright` in Chromium, on pages of made-up origins. */
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import type { ChainOptions, PresealChain, Provider } from '../../../src/index.ts'
import { createManualClock } from '../../../src/index.ts'
import { linkPages } from '../../../src/kits/playwright/createTest.ts'
import type { Wallet } from '../../../src/kits/playwright/wallet.ts'
import { resolveWalletOptions, type WalletOptions } from '../../../src/kits/playwright/walletOptions.ts'
import { Wallets } from '../../../src/kits/playwright/wallets.ts'
import { startChain, type TestChain } from '../../harness.ts'
import { LAUNCH_OPTIONS } from '../../tools/chromium.ts'

/** The origin of the page that {@link openDapp} opens. */
export const DAPP = 'http://dapp.test'

/** No script but the page's own, and no text as code: not even for those who evaluate in it. */
const STRICT = "default-src 'self'; script-src 'self'; require-trusted-types-for 'script'; frame-src *"

let browser: Browser

/** Starts Chromium for the tests of a file. */
export function useBrowser(): void {
  beforeAll(async () => {
    browser = await chromium.launch(LAUNCH_OPTIONS)
  })
  afterAll(() => browser?.close())
}

/** What {@link openDapp} returns. */
export interface Dapp {
  readonly chain: TestChain
  readonly wallets: Wallets
  readonly wallet: Wallet
  readonly context: BrowserContext
  readonly page: Page
  /** How many connections to the chain are open: one of each wallet, and those of documents. */
  openConnections(): number
}

/** The options of {@link openDapp}. */
export interface DappOptions extends WalletOptions {
  readonly chain?: ChainOptions
  /** Whether the clocks of pages advance with the chain's. */
  readonly pageClock?: boolean
  readonly rpcUrl?: string
}

/** The frames of pages, by path. */
const FRAMES: Readonly<Record<string, string>> = {
  '/nested':
    '<iframe src="/inner" name="same"></iframe><iframe src="http://other.test/inner" name="other"></iframe>',
  '/unnamed':
    '<iframe name="sandboxed" sandbox="allow-scripts" src="/inner"></iframe>' +
    '<iframe name="written" sandbox="allow-scripts" srcdoc="<p>"></iframe>' +
    '<iframe name="srcdoc" srcdoc="<p>"></iframe><iframe name="blank" src="about:blank"></iframe>',
}

/**
 * Opens a page with a wallet on a new chain; `/nested` has a frame of the origin, and one of another, `/unnamed` frames whose
 * origins are not those of their URLs.
 */
export async function openDapp({
  chain: chainOptions,
  pageClock,
  rpcUrl,
  ...options
}: DappOptions = {}): Promise<Dapp> {
  const clock = createManualClock()
  const linked = linkPages(clock, (ms) => wallets.advancePages(ms))
  const chain = await startChain({ clock: pageClock ? linked : clock, ...chainOptions })
  const opened: Provider[] = []
  const watched = watchConnections(chain, opened)
  const wallets = new Wallets(watched, resolveWalletOptions(options), {
    rpcUrl,
    ...(pageClock && { readTime: () => clock.now() }),
  })
  const context = await openContext(wallets)
  onTestFinished(() => wallets.end())
  const page = await context.newPage()
  await page.goto(DAPP)
  const openConnections = () => opened.filter(({ closed }) => !closed).length
  return { chain, wallets, wallet: await wallets.inContext(context), context, page, openConnections }
}

/** Opens another browser context with a wallet. */
export async function openContext(wallets: Wallets): Promise<BrowserContext> {
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  await context.route('**/*', async (route) => {
    const { pathname } = new URL(route.request().url())
    await route.fulfill({
      contentType: 'text/html',
      headers: { 'Content-Security-Policy': STRICT },
      body: `<!doctype html><title>${pathname}</title>${FRAMES[pathname] ?? ''}`,
    })
  })
  await wallets.inContext(context)
  return context
}

/** The chain itself, whose connections are added to `opened`. */
function watchConnections(chain: TestChain, opened: Provider[]): PresealChain {
  return new Proxy(chain, {
    get(target, name) {
      if (name !== 'provider') return Reflect.get(target, name)
      return (...args: Parameters<PresealChain['provider']>) => {
        const provider = target.provider(...args)
        opened.push(provider)
        return provider
      }
    },
  })
}

/** The parts of a page and of a frame that requests need. */
type Document = Pick<Page, 'evaluate'>

/** Sends a request by `window.ethereum`; an error as its name, code, message and data. */
export function request(document: Document, method: string, params?: unknown): Promise<unknown> {
  return document.evaluate(
    async ([method, params]) => {
      try {
        return await Reflect.get(globalThis, 'ethereum').request({ method, params })
      } catch (error) {
        const { name, code, message, data } = error as {
          name: string
          code: number
          message: string
          data: unknown
        }
        return { name, code, message, ...(data !== undefined && { data }) }
      }
    },
    [method, params] as const,
  )
}

/** Records the events of `window.ethereum` from now on. */
export async function recordEvents(document: Document): Promise<void> {
  await document.evaluate(() => {
    const events: unknown[] = []
    Reflect.set(globalThis, 'events', events)
    const provider = Reflect.get(globalThis, 'ethereum')
    for (const event of ['connect', 'disconnect', 'chainChanged', 'accountsChanged', 'message']) {
      provider.on(event, (value: unknown) =>
        events.push([
          event,
          value instanceof Error ? [value.name, Reflect.get(value, 'code'), value.message] : value,
        ]),
      )
    }
  })
}

/** The recorded events, once there are `count`. */
export async function eventsOf(page: Page, count: number): Promise<unknown> {
  await page.waitForFunction((count) => Reflect.get(globalThis, 'events').length >= count, count)
  return page.evaluate(() => Reflect.get(globalThis, 'events'))
}

/** The fields of a transfer of 1 wei. */
export function transfer(chain: PresealChain, from = 0, to = 1) {
  return { from: chain.accounts[from]!.address, to: chain.accounts[to]!.address, value: '0x1' }
}
