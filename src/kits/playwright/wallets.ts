/**
 * The wallets of one test, one for each browser context. Owns: the wallets, their scripts and bindings in the contexts,
 * and the errors that fail the test. Does not own the contexts.
 */

import type { BrowserContext, Frame, Page, Route } from '@playwright/test'
import { getOrInsert } from '../../base/collections.ts'
import { LIVE_OPTIONS } from '../../base/options/providerOptions.ts'
import type { MaybePromise } from '../../base/types.ts'
import type { PresealChain } from '../../chain/handle.ts'
import { createHandler, type Requester } from '../server/index.ts'
import { PagesStuckError, PromptsOpenError, RejectionsLeftError, WalletScriptError } from './errors.ts'
import { isOfNodes, offer } from './offered.ts'
import { BINDING, type PageConfig } from './protocol.ts'
import { ContextWallet } from './wallet.ts'
import type { ResolvedWalletOptions } from './walletOptions.ts'
import { WALLET_SCRIPT } from './walletScript.ts'

/** A script or binding added to a context; older versions of Playwright cannot remove it. */
type Added = { dispose?(): Promise<void> } | undefined

interface Receiver {
  /** Undefined when the wallet's test has ended. */
  wallet: ContextWallet | undefined
  /** The token of the script in the context. */
  readonly token: string
}

/**
 * The receivers of the messages of contexts. Where Playwright cannot remove the binding and the script, the first
 * test's receiver stays, and gets the wallets of the later tests.
 */
const receivers = new WeakMap<BrowserContext, Receiver>()

/** If pages advance by more than this, their clocks jump: an animation would have too many timers to run one by one. */
const MAX_RUN_MS = 60_000

interface PageOptions {
  /** Returns the time at which page clocks start; undefined to leave the clocks alone. */
  readonly readTime?: (() => number) | undefined
  /** The URL at which pages reach the chain over HTTP; undefined for none. */
  readonly rpcUrl?: string | RegExp | undefined
}

/** Gives each context of a test its wallet, and reports the wallets' errors when the test ends. */
export class Wallets {
  readonly #chain: PresealChain
  readonly #options: ResolvedWalletOptions
  readonly #pages: PageOptions
  readonly #wallets = new Map<BrowserContext, Promise<ContextWallet>>()
  readonly #endings: (() => void | Promise<void>)[] = []
  readonly #errors: Error[] = []
  /** Crashed pages that are still open. */
  readonly #crashed = new WeakSet<Page>()
  /** The milliseconds by which pages are being advanced; undefined if they are not. */
  #advancing: number | undefined
  /** Unused rejections and prompted methods, noted for each wallet when its context is closed or the test ends. */
  readonly #unused: (string | undefined)[] = []
  readonly #opened = new Set<string>()

  constructor(chain: PresealChain, options: ResolvedWalletOptions, pages: PageOptions) {
    this.#chain = chain
    this.#options = options
    this.#pages = pages
  }

  /** Returns the wallet of a context, and creates it if needed. @throws InvalidOptionError, WalletScriptError */
  inContext(context: BrowserContext): Promise<ContextWallet> {
    return getOrInsert(this.#wallets, context, () => this.#inject(context))
  }

  /** Advances the clocks of all pages. First closes crashed pages, which keep Playwright from advancing any page. */
  async advancePages(ms: number): Promise<void> {
    this.#advancing = ms
    const moving = [...this.#wallets.keys()].map(async (context) => {
      const crashed = context.pages().filter((page) => this.#crashed.has(page))
      await Promise.all(crashed.map((page) => this.#unlessGone(context, () => page.close())))
      await this.#unlessGone(context, () =>
        ms > MAX_RUN_MS ? context.clock.fastForward(ms) : context.clock.runFor(ms),
      )
    })
    // If a page never answers, the test's timeout ends the wait.
    await Promise.all(moving).finally(() => {
      this.#advancing = undefined
    })
  }

  /** Returns the error to report while {@link advancePages} is under way; undefined otherwise. */
  findStuckPages(): PagesStuckError | undefined {
    if (this.#advancing === undefined) return undefined
    const urls = [...this.#wallets.keys()].flatMap((context) => context.pages().map((page) => page.url()))
    return new PagesStuckError(this.#advancing, urls)
  }

  /** Returns the error for rejections that no prompt has used; undefined if there are none. */
  async findUnusedRejections(): Promise<RejectionsLeftError | undefined> {
    for (const wallet of await this.#started()) this.#noteUnused(wallet)
    return this.#unused.length === 0 ? undefined : new RejectionsLeftError(this.#unused, [...this.#opened])
  }

  /** Returns the error for open prompts; undefined if there are none. */
  async findOpenPrompts(): Promise<PromptsOpenError | undefined> {
    const prompts = (await this.#started()).flatMap(({ openPrompts }) => openPrompts)
    const methods = prompts.map(({ method }) => method)
    return methods.length === 0 ? undefined : new PromptsOpenError(methods)
  }

  /** Ends all wallets and cleans up. @throws the error that fails the test, or an AggregateError of several */
  async end(): Promise<void> {
    for (const wallet of await this.#started()) wallet.end()
    for (const end of this.#endings.splice(0).toReversed()) await end()
    const errors = this.#errors.splice(0)
    const [first, ...others] = errors
    if (others.length > 0) throw new AggregateError(errors, `${errors.length} hooks of the wallet failed`)
    if (first !== undefined) throw first
  }

  /** Returns the wallets, except wallets that could not be created: the test has got the error. */
  async #started(): Promise<readonly ContextWallet[]> {
    const wallets = await Promise.allSettled(this.#wallets.values())
    return wallets.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  }

  async #inject(context: BrowserContext): Promise<ContextWallet> {
    const wallet = new ContextWallet(context, {
      chain: this.#chain,
      options: this.#options,
      onError: (error) => this.#errors.push(error),
      inContext: (other) => this.inContext(other),
    })
    this.#watch(context, wallet)
    await this.#addScripts(context, wallet)
    const { readTime, rpcUrl } = this.#pages
    if (readTime !== undefined) await context.clock.install({ time: readTime() })
    if (rpcUrl !== undefined) {
      const end = await routeRpc(context, this.#chain, rpcUrl, this.#options)
      this.#endings.push(() => this.#unlessGone(context, end))
    }
    return wallet
  }

  /** Ends the links of documents when their page or frame is gone. */
  #watch(context: BrowserContext, wallet: ContextWallet): void {
    const watchPage = (page: Page): void => {
      const onEnd = () => wallet.endLinks(page, 'its page was closed')
      const onCrash = () => {
        this.#crashed.add(page)
        wallet.endLinks(page, 'its page crashed')
      }
      const onDetached = (frame: Frame) => wallet.endLinks(frame, 'its frame was removed')
      page.on('close', onEnd).on('crash', onCrash).on('framedetached', onDetached)
      this.#endings.push(() => {
        page.off('close', onEnd).off('crash', onCrash).off('framedetached', onDetached)
      })
    }
    const onClose = (): void => {
      this.#wallets.delete(context)
      this.#noteUnused(wallet)
      wallet.end('its browser context was closed')
    }
    context.on('page', watchPage).on('close', onClose)
    for (const page of context.pages()) watchPage(page)
    this.#endings.push(() => {
      context.off('page', watchPage).off('close', onClose)
    })
  }

  async #addScripts(context: BrowserContext, wallet: ContextWallet): Promise<void> {
    const receiver = receivers.get(context)
    this.#endings.push(() => {
      const last = receivers.get(context)
      if (last?.wallet === wallet) last.wallet = undefined
    })
    if (receiver !== undefined) {
      receiver.wallet = wallet
      return
    }
    const own: Receiver = { wallet, token: crypto.randomUUID() }
    receivers.set(context, own)
    const binding = await context.exposeBinding(BINDING, async ({ frame }, text: unknown) =>
      own.wallet?.receive(frame, text, own.token),
    )
    const script = await context.addInitScript({ content: this.#script(own.token) })
    for (const added of [binding, script] as unknown as readonly Added[]) {
      if (typeof added?.dispose !== 'function') continue
      this.#endings.push(async () => {
        receivers.delete(context)
        await this.#unlessGone(context, () => added.dispose?.())
      })
    }
  }

  #script(token: string): string {
    if (WALLET_SCRIPT === undefined) throw new WalletScriptError()
    const { views, name, rdns, icon, isMetaMask } = this.#options
    const config: PageConfig = {
      binding: BINDING,
      token,
      providers: views.map((view, at) => ({
        view,
        // Apps tell wallets apart by name and rdns.
        info: {
          name: at === 0 ? name : `${name} (${view})`,
          rdns: at === 0 ? rdns : `${rdns}.${view}`,
          ...(icon !== undefined && { icon }),
        },
        flags: isMetaMask ? { isMetaMask } : {},
      })),
    }
    return `((PRESEAL_CONFIG) => {${WALLET_SCRIPT}})(${JSON.stringify(config)})`
  }

  #noteUnused(wallet: ContextWallet): void {
    this.#unused.push(...wallet.prompts.rejections)
    for (const method of wallet.prompts.opened) this.#opened.add(method)
  }

  /** Calls `fn`, which uses a context. Ignores its error if the context or one of its pages is gone. */
  async #unlessGone(context: BrowserContext, fn: () => MaybePromise<void>): Promise<void> {
    const pages = context.pages()
    try {
      await fn()
    } catch (error) {
      if (pages.some((page) => page.isClosed() || this.#crashed.has(page))) return
      // The error has no class, and may come before `close` or `crash`. A context or page that is gone does not answer.
      const answers = [context.cookies(), ...pages.map((page) => page.evaluate(() => 0))]
      const answered = await Promise.allSettled<unknown>(answers)
      if (answered.every(({ status }) => status === 'fulfilled')) throw error
    }
  }
}

/**
 * Answers the requests that a context's pages send to a URL, as a server of `chain.live` would. Accepts pages of every
 * origin, since an app and its node have different origins. Returns a function that stops answering.
 */
async function routeRpc(
  context: BrowserContext,
  chain: PresealChain,
  url: string | RegExp,
  { cheats }: ResolvedWalletOptions,
): Promise<() => Promise<void>> {
  const provider = chain.provider('preconf', LIVE_OPTIONS)
  // A node that is no wallet has no accounts.
  const request: Requester['request'] = async (args) =>
    args.method === ACCOUNTS ? [] : provider.request(args as never)
  const requester = cheats ? provider : { request }
  // `offer` already refuses URLs to fork.
  const handle = createHandler(offer(requester, isAnswered, { cheats }), { origins: '*', forkUrls: true })
  const answer = async (route: Route): Promise<void> => {
    const response = await handle(toRequest(route))
    const body = await response.text()
    const headers = Object.fromEntries(response.headers)
    // The page may have been closed meanwhile.
    await route.fulfill({ status: response.status, headers, body }).catch(() => {})
  }
  await context.route(url, answer)
  return async () => {
    provider.close()
    await context.unroute(url, answer)
  }
}

const ACCOUNTS = 'eth_accounts'

const isAnswered = (method: string): boolean => method === ACCOUNTS || isOfNodes(method)

function toRequest(route: Route): Request {
  const request = route.request()
  const method = request.method()
  const body = request.postDataBuffer()
  const isSent = body !== null && method !== 'GET' && method !== 'HEAD'
  return new Request(request.url(), {
    method,
    headers: request.headers(),
    ...(isSent && { body: new Uint8Array(body) }),
  })
}
