/**
 * The prompts of one wallet: questions to a user, and who answers them.
 *
 * Owns: the open prompts, the hooks, the calls that wait for a prompt, and the automatic answers. Does not own the
 * effect of an approval, which the caller of `ask` passes.
 */
import type { Frame, Page } from '@playwright/test'
import { type Clock, systemClock } from '../../base/clock.ts'
import { toError } from '../../base/emitter.ts'
import type { PresealRpcError } from '../../base/errors.ts'
import type { Address, MaybePromise } from '../../base/types.ts'
import { DisconnectedError } from '../../core/sequencer/errors.ts'
import { NoPromptError, PromptEndedError, PromptTimeoutError, UserRejectedError } from './errors.ts'
import type { PromptMode, ResolvedWalletOptions } from './walletOptions.ts'

/** The choices of a test that approves a prompt. */
export interface ApproveOptions {
  /**
   * For a prompt to connect: the accounts, as indices of `chain.accounts` or addresses; by default the selected
   * account.
   */
  readonly accounts?: readonly (number | Address)[] | undefined
}

/** A question of a wallet to its user: to connect, to send, to sign, or to change the chain. */
export interface Prompt {
  /** The method of the request, such as `eth_sendTransaction`. */
  readonly method: string
  /** The parameters of the request. */
  readonly params: unknown
  /** The origin of the document that sent the request. */
  readonly origin: string
  /** The frame that sent the request. */
  readonly frame: Frame
  /** The page of the frame. */
  readonly page: Page
  /** Whether the prompt still waits for an answer. */
  readonly isOpen: boolean
  /**
   * Approves the prompt. Resolves when the request has been carried out: for example, when its transaction is in the
   * mempool. Resolves too if the request fails: its error goes to the page.
   *
   * @throws PromptEndedError if the prompt is not open, InvalidOptionError for accounts that the chain does not have
   */
  approve(options?: ApproveOptions): Promise<void>
  /** Rejects the prompt: the page gets an error with code 4001. @throws PromptEndedError if the prompt is not open */
  reject(): Promise<void>
}

/**
 * Called when a prompt opens. Answers the prompt, or leaves it to the next hook and the wallet; see `Wallet.onPrompt`.
 */
export type PromptHook = (prompt: Prompt) => MaybePromise<unknown>

/** A request that needs a prompt. */
export type PromptRequest = Pick<Prompt, 'method' | 'params' | 'origin' | 'frame'>

interface Waiter {
  readonly method: string | undefined
  take(prompt: Prompt): void
  fail(reason: string): void
}

/** Converts the accounts of an approval to addresses. @throws InvalidOptionError */
export type ResolveAccounts = (accounts: readonly (number | Address)[]) => Promise<readonly Address[]>

interface Settle {
  resolve(accounts: readonly Address[] | undefined): void
  reject(error: Error): void
}

class OpenPrompt implements Prompt {
  readonly method: string
  readonly params: unknown
  readonly origin: string
  readonly frame: Frame
  /** Resolves to the approved accounts; rejects with the error for the page. */
  readonly answer: Promise<readonly Address[] | undefined>
  /** Whether a call of `waitFor` got the prompt: the wallet then leaves the answer to the test. */
  isTaken = false
  readonly #resolveAccounts: ResolveAccounts
  readonly #carriedOut: Promise<void>
  /** Called when the request has been carried out, or has failed. */
  end!: () => void
  #settle!: Settle
  #ending: string | undefined
  readonly #onSettled: (() => void)[] = []

  constructor({ method, params, origin, frame }: PromptRequest, resolveAccounts: ResolveAccounts) {
    this.method = method
    this.params = params
    this.origin = origin
    this.frame = frame
    this.#resolveAccounts = resolveAccounts
    this.answer = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject }
    })
    this.#carriedOut = new Promise((resolve) => {
      this.end = resolve
    })
  }

  get page(): Page {
    return this.frame.page()
  }

  get isOpen(): boolean {
    return this.#ending === undefined
  }

  async approve({ accounts }: ApproveOptions = {}): Promise<void> {
    this.#checkOpen()
    const resolved = accounts && (await this.#resolveAccounts(accounts))
    this.#close('it was answered')
    this.#settle.resolve(resolved)
    return this.#carriedOut
  }

  async reject(): Promise<void> {
    this.fail(new UserRejectedError(this.method), 'it was answered')
    return this.#carriedOut
  }

  /** Rejects the prompt with an error for the page. @throws PromptEndedError if the prompt is not open */
  fail(error: PresealRpcError, reason: string): void {
    this.#close(reason)
    this.#settle.reject(error)
  }

  onSettled(fn: () => void): void {
    this.#onSettled.push(fn)
  }

  #close(reason: string): void {
    this.#checkOpen()
    this.#ending = reason
    for (const fn of this.#onSettled) fn()
  }

  #checkOpen(): void {
    if (this.#ending !== undefined) throw new PromptEndedError(this.method, this.#ending)
  }
}

export class Prompts {
  /** The answer to prompts that no hook answers. */
  mode: PromptMode
  /** Milliseconds of the chain's clock between a prompt and its automatic answer. */
  delay: number
  readonly #timeoutMs: number
  readonly #clock: Clock
  readonly #resolveAccounts: ResolveAccounts
  readonly #onError: (error: Error) => void
  readonly #open = new Set<OpenPrompt>()
  readonly #hooks = new Set<PromptHook>()
  readonly #waiters = new Set<Waiter>()
  /** The arguments of the calls of `rejectNext` that no prompt has used. */
  readonly #rejections: (string | undefined)[] = []
  readonly opened = new Set<string>()

  /** @param onError - receives errors of hooks */
  constructor(
    options: Pick<ResolvedWalletOptions, 'prompts' | 'delay' | 'promptTimeout'>,
    clock: Clock,
    resolveAccounts: ResolveAccounts,
    onError: (error: Error) => void,
  ) {
    this.mode = options.prompts
    this.delay = options.delay
    this.#timeoutMs = options.promptTimeout
    this.#clock = clock
    this.#resolveAccounts = resolveAccounts
    this.#onError = onError
  }

  get open(): readonly Prompt[] {
    return [...this.#open].filter(({ isOpen }) => isOpen)
  }

  get unusedRejections(): readonly (string | undefined)[] {
    return [...this.#rejections]
  }

  /** Rejects the next prompt, or the next prompt for `method`, if given. */
  rejectNext(method: string | undefined): void {
    this.#rejections.push(method)
  }

  /** Adds a hook. @returns a function that removes it */
  addHook(hook: PromptHook): () => void {
    this.#hooks.add(hook)
    return () => this.#hooks.delete(hook)
  }

  /**
   * Opens a prompt and waits for its answer.
   *
   * @param carryOut - called after an approval, with the accounts that the test chose, if any.
   * @throws UserRejectedError, PromptTimeoutError, DisconnectedError if the document or the wallet is gone, and the
   * errors of `carryOut`
   */
  async ask<T>(
    request: PromptRequest,
    carryOut: (accounts: readonly Address[] | undefined) => MaybePromise<T>,
  ): Promise<T> {
    const prompt = new OpenPrompt(request, this.#resolveAccounts)
    this.#open.add(prompt)
    this.opened.add(prompt.method)
    this.#decide(prompt).catch((error) => {
      this.#onError(toError(error))
      if (prompt.isOpen) void prompt.reject()
    })
    try {
      return await carryOut(await prompt.answer)
    } finally {
      this.#open.delete(prompt)
      prompt.end()
    }
  }

  /**
   * Waits for a prompt that the test will answer; takes an open one, if possible.
   *
   * @throws NoPromptError if none opens within `timeoutMs`, or before the wallet ends
   */
  waitFor(method: string | undefined, timeoutMs: number): Promise<Prompt> {
    for (const prompt of this.#open) {
      if (prompt.isOpen && !prompt.isTaken && isOf(prompt, method)) {
        prompt.isTaken = true
        return Promise.resolve(prompt)
      }
    }
    const waiting = new Promise<Prompt>((resolve, reject) => {
      const end = (): void => {
        this.#waiters.delete(waiter)
        stopTimer()
      }
      const waiter: Waiter = {
        method,
        take(prompt) {
          end()
          resolve(prompt)
        },
        fail(reason) {
          end()
          reject(new NoPromptError(method, reason))
        },
      }
      this.#waiters.add(waiter)
      const stopTimer = startTimer(timeoutMs, () => waiter.fail(`within ${timeoutMs} ms`))
    })
    // Not an unhandled rejection if the test fails before awaiting it.
    waiting.catch(() => {})
    return waiting
  }

  /** Ends the prompts of a frame; without one, ends all prompts and the calls that wait for a prompt. */
  end(reason: string, frame?: Frame): void {
    for (const prompt of this.#open) {
      if (prompt.isOpen && (frame === undefined || prompt.frame === frame))
        prompt.fail(new DisconnectedError(), reason)
    }
    if (frame === undefined) for (const waiter of this.#waiters) waiter.fail(`before ${reason}`)
  }

  async #decide(prompt: OpenPrompt): Promise<void> {
    const isRejected = this.#takeRejection(prompt)
    this.#offer(prompt)
    const ms = this.#timeoutMs
    const stopTimer = startTimer(ms, () =>
      prompt.fail(new PromptTimeoutError(prompt.method, ms), `it was not answered within ${ms} ms`),
    )
    prompt.onSettled(stopTimer)
    for (const hook of this.#hooks) {
      await hook(prompt)
      if (!prompt.isOpen) return
    }
    const waitsForTest = () => !isRejected && (prompt.isTaken || this.mode === 'hold')
    if (waitsForTest()) return
    if (this.delay > 0) {
      stopTimer()
      await this.#wait(prompt)
      // Meanwhile the test may have answered the prompt, or taken it to answer it later.
      if (!prompt.isOpen || waitsForTest()) return
    }
    if (isRejected || this.mode === 'reject') void prompt.reject()
    else void prompt.approve()
  }

  /** Waits until the delay has passed on the chain's clock, or the prompt is no longer open. */
  #wait(prompt: OpenPrompt): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(resolve, this.delay)
      prompt.onSettled(() => {
        this.#clock.clearTimeout(timer)
        resolve()
      })
    })
  }

  #takeRejection(prompt: Prompt): boolean {
    const at = this.#rejections.findIndex((method) => isOf(prompt, method))
    if (at >= 0) this.#rejections.splice(at, 1)
    return at >= 0
  }

  #offer(prompt: OpenPrompt): void {
    for (const waiter of this.#waiters) {
      if (!isOf(prompt, waiter.method)) continue
      prompt.isTaken = true
      waiter.take(prompt)
      return
    }
  }
}

function isOf(prompt: Prompt, method: string | undefined): boolean {
  return method === undefined || method === prompt.method
}

/**
 * Starts a timer in real time: on a manual clock that stands still, the test would hang.
 *
 * @returns a function that stops the timer.
 */
function startTimer(ms: number, fn: () => void): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => {}
  const timer = systemClock.setTimeout(fn, ms)
  return () => systemClock.clearTimeout(timer)
}
