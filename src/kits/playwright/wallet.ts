/** The wallet of a browser context, as a test controls it. */

import type { BrowserContext, Frame, Page } from '@playwright/test'
import { quantity as toQuantity } from '../../base/bytes.ts'
import { toError } from '../../base/emitter.ts'
import { PresealRpcError } from '../../base/errors.ts'
import { check, parseOption } from '../../base/options/option.ts'
import { integer, MAX_TIMEOUT } from '../../base/options/optionSchemas.ts'
import type { Address } from '../../base/types.ts'
import type { PresealChain } from '../../chain/handle.ts'
import { UnknownAccountError } from '../../core/accounts/errors.ts'
import { DisconnectedError } from '../../core/sequencer/errors.ts'
import { InternalError } from '../../rpc/errors.ts'
import { givesUp } from '../../rpc/services.ts'
import { type Prompt, type PromptHook, Prompts } from './prompts.ts'
import {
  LAST_ANSWER,
  OPAQUE_ORIGIN,
  type PollAnswer,
  type RequestAnswer,
  readMessage,
  type SentError,
  type WalletView,
} from './protocol.ts'
import {
  account as accountSchema,
  chainNumber,
  type ResolvedWalletOptions,
  timeout as timeoutSchema,
} from './walletOptions.ts'
import { answerRequest, DocumentLink, WalletState } from './walletRequests.ts'

/** The accounts to connect, and the origin to connect them to. */
export interface ConnectOptions {
  /** Indices of `chain.accounts`, or addresses; by default the selected account. */
  readonly accounts?: readonly (number | Address)[] | undefined
  /** The origin, such as `http://localhost:5173`; by default every origin, also of later pages. */
  readonly origin?: string | undefined
}

/**
 * The wallet in the pages of one browser context. It has the state of one user: pages of the same origin share the
 * permissions that the user has granted. Each document has separate connections to the chain.
 */
export interface Wallet {
  /** The browser context of the wallet. */
  readonly context: BrowserContext
  /** The selected account; undefined if the chain has no accounts. */
  readonly account: Address | undefined
  /** The id of the selected chain. */
  readonly chainId: number
  /** The prompts that wait for an answer, oldest first. */
  readonly openPrompts: readonly Prompt[]
  /** Connects pages without a prompt, as if the user had approved before. @throws InvalidOptionError */
  connect(options?: ConnectOptions): Promise<void>
  /** Disconnects the pages of an origin, or all pages. */
  disconnect(options?: Pick<ConnectOptions, 'origin'>): void
  /** Approves all further prompts that no hook answers; the default. */
  approve(): void
  /** Rejects all further prompts that no hook answers: pages get errors with code 4001. */
  reject(): void
  /** Leaves all further prompts open until the test answers them, or `walletOptions.promptTimeout` has passed. */
  hold(): void
  /**
   * Rejects the next prompt, or the next prompt for `method`, with code 4001. Two calls reject two prompts. Apps
   * connect by `eth_requestAccounts` or, with wagmi, by `wallet_requestPermissions`.
   */
  rejectNext(method?: string): void
  /** Waits for `ms` of the chain's clock between each prompt and its automatic answer. @throws InvalidOptionError */
  delay(ms: number): void
  /**
   * Calls `hook` with each prompt when it opens. If the prompt is still open when the hook has returned, or its promise
   * has resolved, it goes to the next hook, and then to the wallet. If the hook throws, the prompt is rejected and the
   * test fails. Returns a function that removes the hook.
   */
  onPrompt(hook: PromptHook): () => void
  /**
   * Waits for a prompt that the test then answers. If `method` is given, waits for a prompt of this method.
   *
   * @param options - `timeout` in milliseconds of real time, by default 5,000; Infinity for none.
   * @throws NoPromptError if none opens in time or before the test ends, InvalidOptionError if `timeout` is invalid
   * @example
   * const waiting = wallet.waitForPrompt('eth_sendTransaction')
   * await page.getByRole('button', { name: 'Send' }).click()
   * await (await waiting).reject()
   */
  waitForPrompt(method?: string, options?: { readonly timeout?: number }): Promise<Prompt>
  /**
   * Selects an account: connected pages get `accountsChanged`, with the account first.
   *
   * @param account - an index of `chain.accounts`, or an address that has a key or that the chain impersonates.
   * @throws InvalidOptionError for all other accounts
   */
  switchAccount(account: number | Address): Promise<void>
  /**
   * Selects a chain: pages get `chainChanged`, and their subscriptions end. If the wallet has no node for this id,
   * requests that need one fail with code 4901. This shows how an app behaves on a network that it does not support.
   *
   * @throws InvalidOptionError
   */
  switchChain(chainId: number): void
  /**
   * Adds a chain that the user or a page can switch to; the caller closes it. If only an id is given, the chain has no
   * node: after a switch to it, requests that need a node fail with code 4901.
   *
   * @throws InvalidOptionError
   */
  addChain(chain: PresealChain | number): void
  /**
   * Returns the wallet of another browser context. A context that `browser.newContext()` did not create gets its wallet
   * by this call; pages that are already open get it when they reload.
   */
  inContext(context: BrowserContext): Promise<Wallet>
}

/** Shared by the wallets of one test. */
interface WalletServices {
  readonly chain: PresealChain
  readonly options: ResolvedWalletOptions
  /** Receives errors that fail the test. */
  onError(error: Error): void
  inContext(context: BrowserContext): Promise<Wallet>
}

/** Owns the links to the documents of the context, by frame. */
export class ContextWallet implements Wallet {
  readonly context: BrowserContext
  readonly prompts: Prompts
  readonly #services: WalletServices
  readonly #state: WalletState
  readonly #links = new Map<Frame, DocumentLink>()
  /** By frame: settles when the newest document has a link. The document's origin is confirmed first. */
  readonly #greeted = new WeakMap<Frame, Promise<void>>()
  #ended = false

  constructor(context: BrowserContext, services: WalletServices) {
    const { chain, options, onError } = services
    this.context = context
    this.#services = services
    const { account, connected } = options
    const selected = typeof account === 'number' ? chain.accounts[account]?.address : account
    const isWithoutAccounts = account === 0 && (chain.accounts as readonly unknown[]).length === 0
    const isKnown = selected !== undefined || isWithoutAccounts
    check(isKnown, 'walletOptions.account', 'an index of chain.accounts, or an address')
    this.#state = new WalletState(chain, selected, this.#links)
    if (connected && selected !== undefined) this.#state.permit(undefined, [selected])
    const { clock } = chain
    this.prompts = new Prompts(options, { clock, onError, resolveAccounts: (all) => this.#resolveAll(all) })
  }

  get account(): Address | undefined {
    return this.#state.account
  }

  get chainId(): number {
    return this.#state.chainId
  }

  get openPrompts(): readonly Prompt[] {
    return this.prompts.open
  }

  async connect({ accounts, origin }: ConnectOptions = {}): Promise<void> {
    checkOrigin(origin)
    const { account } = this.#state
    const chosen = accounts ?? (account === undefined ? [] : [account])
    check(chosen.length > 0, 'accounts', 'at least one account')
    this.#state.permit(origin, await this.#resolveAll(chosen))
  }

  disconnect({ origin }: Pick<ConnectOptions, 'origin'> = {}): void {
    checkOrigin(origin)
    this.#state.permit(origin, [])
  }

  approve(): void {
    this.prompts.mode = 'approve'
  }

  reject(): void {
    this.prompts.mode = 'reject'
  }

  hold(): void {
    this.prompts.mode = 'hold'
  }

  rejectNext(method?: string): void {
    this.prompts.rejections.push(method)
  }

  delay(ms: number): void {
    this.prompts.delay = parseOption(integer(0, { most: MAX_TIMEOUT }), ms, 'ms')
  }

  onPrompt(hook: PromptHook): () => void {
    check(typeof hook === 'function', 'hook', 'a function')
    this.prompts.hooks.add(hook)
    return () => this.prompts.hooks.delete(hook)
  }

  waitForPrompt(method?: string, { timeout = 5000 }: { readonly timeout?: number } = {}): Promise<Prompt> {
    return this.prompts.waitFor(method, parseOption(timeoutSchema, timeout, 'timeout'))
  }

  async switchAccount(account: number | Address): Promise<void> {
    this.#state.select(await this.#resolve(account))
  }

  switchChain(chainId: number): void {
    this.#state.selectChain(parseOption(chainNumber, chainId, 'chainId'))
  }

  addChain(chain: PresealChain | number): void {
    const isChain = typeof chain === 'number' || typeof chain?.provider === 'function'
    check(isChain, 'chain', 'a chain, or the id of one without a node')
    this.#state.add(typeof chain === 'number' ? parseOption(chainNumber, chain, 'chain') : chain)
  }

  inContext(context: BrowserContext): Promise<Wallet> {
    return this.#services.inContext(context)
  }

  /** Answers a message of a document. @param token - the token of the wallet's script, which `hello` must contain */
  async receive(frame: Frame, text: unknown, token: string): Promise<string> {
    let answer: PollAnswer | RequestAnswer
    try {
      const message = readMessage(text, token, this.#services.options.views)
      if (message.type === 'hello') await this.#greet(frame, message.document, message.origin)
      await this.#greeted.get(frame)
      const current = this.#links.get(frame)
      // Undefined if the document is gone, or was never greeted.
      const link = current?.id === message.document ? current : undefined
      if (message.type !== 'request') answer = (await link?.poll()) ?? LAST_ANSWER
      else answer = { result: await this.#answer(link, message.view, message.args) }
    } catch (thrown) {
      answer = { error: this.#toSentError(thrown) }
    }
    return JSON.stringify(answer)
  }

  /** Ends the links to the documents of a frame or page. */
  endLinks(of: Frame | Page, reason: string): void {
    for (const [frame, link] of this.#links) {
      if (frame === of || frame.page() === of) this.#end(link, reason)
    }
  }

  /** Ends all links: the documents get `disconnect`, and answers to later requests are errors with code 4900. */
  end(reason = 'the test ended'): void {
    this.#ended = true
    this.prompts.end(reason)
    for (const link of this.#links.values()) this.#end(link, reason)
    this.#state.close()
  }

  /** Links the current document of a frame, and ends the link to the previous document. */
  #greet(frame: Frame, document: string, statedOrigin: string): Promise<void> {
    const before = this.#greeted.get(frame)
    const confirming = confirmOrigin(frame, statedOrigin, (one) => this.#links.get(one)?.origin)
    const greeted = (async () => {
      const origin = await confirming
      await before
      if (this.#ended || frame.isDetached() || frame.page().isClosed()) return
      const existing = this.#links.get(frame)
      if (existing !== undefined) this.#end(existing, 'its page navigated')
      const link = new DocumentLink(document, frame, origin, this.#services.options.cheats)
      this.#links.set(frame, link)
      link.push({ event: 'connect', value: { chainId: toQuantity(BigInt(this.chainId)) } })
    })()
    this.#greeted.set(frame, greeted)
    return greeted
  }

  #end(link: DocumentLink, reason: string): void {
    this.#links.delete(link.frame)
    this.#state.forget(link)
    this.prompts.end(reason, link.frame)
    link.end()
  }

  async #answer(link: DocumentLink | undefined, view: WalletView, args: unknown): Promise<unknown> {
    if (link !== undefined)
      return answerRequest(args, { state: this.#state, prompts: this.prompts, link, view })
    if (givesUp(args)) return true
    throw new DisconnectedError()
  }

  #toSentError(thrown: unknown): SentError {
    const error = thrown instanceof PresealRpcError ? thrown : new InternalError(thrown)
    if (error !== thrown) this.#services.onError(toError(thrown))
    const { name, code, message, data } = error
    return { name, code, message, ...(data !== undefined && { data }) }
  }

  async #resolveAll(accounts: readonly (number | Address)[]): Promise<readonly Address[]> {
    return [...new Set(await Promise.all(accounts.map((account) => this.#resolve(account))))]
  }

  /** Returns the address of an account. @throws InvalidOptionError if the chain cannot send from it */
  async #resolve(account: number | Address): Promise<Address> {
    const { chain } = this.#services
    const parsed = parseOption(accountSchema, account, 'account')
    const own = typeof parsed === 'number' ? chain.accounts[parsed] : undefined
    if (own !== undefined) return own.address
    check(typeof parsed !== 'number', 'account', `an index below ${chain.accounts.length}`)
    const provider = chain.provider('standard')
    try {
      await provider.request({ method: 'wallet_getCapabilities', params: [parsed] })
    } catch (error) {
      const isUnknown = error instanceof UnknownAccountError
      check(!isUnknown, 'account', 'an account of the chain, or one that it impersonates')
      throw error
    } finally {
      provider.close()
    }
    return parsed
  }
}

function checkOrigin(origin: string | undefined): void {
  check(origin !== OPAQUE_ORIGIN, 'origin', 'an origin that several documents can have')
}

/**
 * Returns the stated origin of a frame's document if it is confirmed, else the opaque origin. The frame's URL confirms it.
 * `about:blank` and `srcdoc` inherit their creator's origin: an ancestor frame, or a frame of the opener page, confirms it
 * if it has the stated origin.
 */
async function confirmOrigin(
  frame: Frame,
  stated: string,
  originOf: (frame: Frame) => string | undefined,
): Promise<string> {
  // A document in a sandbox has an opaque origin, whatever its URL.
  if (stated === OPAQUE_ORIGIN) return OPAQUE_ORIGIN
  const own = originOfUrl(frame.url())
  if (own !== undefined) return own === stated ? own : OPAQUE_ORIGIN
  for (let parent = frame.parentFrame(); parent !== null; parent = parent.parentFrame())
    if (originOf(parent) === stated) return stated
  const opener = await frame.page().opener()
  const isOpeners = opener?.frames().some((one) => originOf(one) === stated)
  return isOpeners ? stated : OPAQUE_ORIGIN
}

/** Returns the origin of a URL; undefined if its document has the origin of its creator. */
function originOfUrl(url: string): string | undefined {
  if (url === '' || /^about:/i.test(url)) return undefined
  const { origin, protocol, host } = new URL(url)
  // In Node, URLs of extensions have the origin 'null'.
  return origin === 'null' && host !== '' ? `${protocol}//${host}` : origin
}
