/**
 * The wallets of one test, one for each browser context.
 *
 * Owns: the wallets, what was added to their contexts, and the errors that fail the test. Does not own the contexts.
 */
import type { BrowserContext, Frame, Page } from '@playwright/test'
import type { PresealChain } from '../chain/handle.ts'
import { toError } from '../primitives/emitter.ts'
import type { MaybePromise } from '../primitives/types.ts'
import { PromptsOpenError, WalletScriptError } from './errors.ts'
import { BINDING, type PageConfig } from './protocol.ts'
import { type RpcUrl, routeRpc } from './rpcRoute.ts'
import { ContextWallet } from './wallet.ts'
import type { ResolvedWalletOptions } from './walletOptions.ts'
import { WALLET_SCRIPT } from './walletScript.ts'

/** What was added to a context; older versions of Playwright cannot remove it. */
interface Added {
  dispose?(): Promise<void>
}

/**
 * The wallet that gets the messages of a context, undefined once its test has ended. A context that several tests share
 * keeps the binding of the first one if Playwright cannot remove it.
 */
const receivers = new WeakMap<BrowserContext, { wallet: ContextWallet | undefined }>()

/** From this time on, pages jump: the timers between, such as those of animations, are too many to run one by one. */
const MAX_RUN_MS = 60_000

/** What else pages get. */
export interface PageOptions {
  /** Returns the time at which their clocks are installed; undefined if the clocks are left alone. */
  readonly readTime?: (() => number) | undefined
  /** Where they reach the chain over HTTP; undefined for nowhere. */
  readonly rpcUrl?: RpcUrl | undefined
}

/** See the file's header. */
export class Wallets {
  readonly #chain: PresealChain
  readonly #options: ResolvedWalletOptions
  readonly #pages: PageOptions
  readonly #wallets = new Map<BrowserContext, Promise<ContextWallet>>()
  readonly #endings: (() => void | Promise<void>)[] = []
  readonly #errors: Error[] = []

  constructor(chain: PresealChain, options: ResolvedWalletOptions, pages: PageOptions = {}) {
    this.#chain = chain
    this.#options = options
    this.#pages = pages
  }

  /** The wallet of a context, which gets one if it has none. @throws InvalidOptionError */
  inContext(context: BrowserContext): Promise<ContextWallet> {
    const existing = this.#wallets.get(context)
    if (existing !== undefined) return existing
    const created = this.#inject(context)
    this.#wallets.set(context, created)
    return created
  }

  /** Advances the clocks of all pages by `ms`. */
  async advancePages(ms: number): Promise<void> {
    const moving = [...this.#wallets.keys()].map(({ clock }) =>
      unlessClosed(() => (ms > MAX_RUN_MS ? clock.fastForward(ms) : clock.runFor(ms))),
    )
    await Promise.all(moving)
  }

  /** The error for prompts that are open; undefined if there are none. */
  async findOpenPrompts(): Promise<PromptsOpenError | undefined> {
    const methods = (await this.#started()).flatMap(({ openPrompts }) =>
      openPrompts.map(({ method }) => method),
    )
    return methods.length === 0 ? undefined : new PromptsOpenError(methods)
  }

  /**
   * Ends all wallets, and removes what was added to their contexts.
   *
   * @throws what hooks threw during the test, as an AggregateError if there are several errors.
   */
  async end(): Promise<void> {
    for (const wallet of await this.#started()) wallet.end()
    for (const end of this.#endings.splice(0).toReversed()) await end()
    const errors = this.#errors.splice(0)
    const [first, ...others] = errors
    if (others.length > 0) throw new AggregateError(errors, `${errors.length} hooks of the wallet failed`)
    if (first !== undefined) throw first
  }

  /** The wallets, without those that failed: their tests have got the error. */
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
      const end = await routeRpc(context, this.#chain, rpcUrl)
      this.#endings.push(() => unlessClosed(end))
    }
    return wallet
  }

  /** Ends the links of documents that have gone with their page or frame. */
  #watch(context: BrowserContext, wallet: ContextWallet): void {
    const watchPage = (page: Page): void => {
      const onEnd = () => wallet.endLinks(page, 'its page was closed')
      const onCrash = () => wallet.endLinks(page, 'its page crashed')
      const onDetached = (frame: Frame) => wallet.endLinks(frame, 'its frame was removed')
      page.on('close', onEnd).on('crash', onCrash).on('framedetached', onDetached)
      this.#endings.push(() => {
        page.off('close', onEnd).off('crash', onCrash).off('framedetached', onDetached)
      })
    }
    const onClose = (): void => {
      this.#wallets.delete(context)
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
    const own: { wallet: ContextWallet | undefined } = { wallet }
    receivers.set(context, own)
    const binding = await context.exposeBinding(BINDING, async ({ frame }, text: string) =>
      own.wallet?.receive(frame, text),
    )
    const script = await context.addInitScript({ content: this.#script() })
    for (const added of [binding, script] as unknown as readonly (Added | undefined)[]) {
      if (typeof added?.dispose !== 'function') continue
      this.#endings.push(async () => {
        receivers.delete(context)
        await unlessClosed(() => added.dispose?.())
      })
    }
  }

  #script(): string {
    if (WALLET_SCRIPT === undefined) throw new WalletScriptError()
    const { views, name, rdns, icon, isMetaMask } = this.#options
    const config: PageConfig = {
      binding: BINDING,
      providers: views.map((view, at) => ({
        view,
        // Apps tell wallets apart by these two.
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
}

/** Does something with a context, which may be closed meanwhile. @throws what `fn` throws for another reason. */
async function unlessClosed(fn: () => MaybePromise<void>): Promise<void> {
  try {
    await fn()
  } catch (error) {
    // The event of the end may come later than this error, which has no class of its own.
    if (!/\bclosed\b/.test(toError(error).message)) throw error
  }
}
