/**
 * The prompts of one wallet: questions to a user, and who answers them. Owns: the open prompts, the hooks, the calls that
 * wait for a prompt, and the automatic answers. Does not own the effect of an approval, which the caller of `ask` passes.
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
  /** To connect: the accounts, as indices of `chain.accounts` or addresses; by default the selected account. */
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

/** Called when a prompt opens: answers it, or leaves it to the next hook and the wallet; see `Wallet.onPrompt`. */
export type PromptHook = (prompt: Prompt) => MaybePromise<unknown>

type PromptRequest = Pick<Prompt, 'method' | 'params' | 'origin' | 'frame'>

interface PromptServices {
  readonly clock: Clock
  /** Converts the accounts of an approval to addresses. @throws InvalidOptionError */
  resolveAccounts(accounts: readonly (number | Address)[]): Promise<readonly Address[]>
  /** Receives errors of hooks. */
  onError(error: Error): void
}

/** Carries out an approved request, with the accounts that the test chose, if any. */
type CarryOut<T> = (accounts: readonly Address[] | undefined) => MaybePromise<T>

interface OpenPrompt<T = unknown> extends Prompt {
  /** The result of the approved request, or the error for the page. */
  readonly result: Promise<T>
  /** Whether a call of `waitFor` got the prompt: the wallet then leaves the answer to the test. */
  isTaken: boolean
  /** Rejects the prompt with an error for the page. @throws PromptEndedError if the prompt is not open */
  fail(error: PresealRpcError, reason: string): void
  onSettled(fn: () => void): void
}

function openPrompt<T>(
  request: PromptRequest,
  { resolveAccounts }: PromptServices,
  carryOut: CarryOut<T>,
): OpenPrompt<T> {
  const { method, frame } = request
  const listeners: (() => void)[] = []
  let ending: string | undefined
  let settle!: { approve(accounts: readonly Address[] | undefined): void; reject(error: Error): void }
  const answer = new Promise<readonly Address[] | undefined>((approve, reject) => {
    settle = { approve, reject }
  })
  const result = answer.then(carryOut)
  const ended = Promise.allSettled([result])
  const checkOpen = (): void => {
    if (ending !== undefined) throw new PromptEndedError(method, ending)
  }
  const close = (reason: string): void => {
    checkOpen()
    ending = reason
    for (const fn of listeners) fn()
  }
  const fail = (error: PresealRpcError, reason: string): void => {
    close(reason)
    settle.reject(error)
  }
  return {
    ...request,
    get page() {
      return frame.page()
    },
    get isOpen() {
      return ending === undefined
    },
    isTaken: false,
    result,
    async approve({ accounts } = {}) {
      checkOpen()
      const resolved = accounts && (await resolveAccounts(accounts))
      close('it was answered')
      settle.approve(resolved)
      await ended
    },
    async reject() {
      fail(new UserRejectedError(method), 'it was answered')
      await ended
    },
    fail,
    onSettled: (fn) => void listeners.push(fn),
  }
}

/** A call that waits for a prompt. */
interface Waiter {
  readonly method: string | undefined
  take(prompt: Prompt): void
  fail(reason: string): void
}

/** Asks one wallet's questions, which a test, a hook or the mode answers. */
export class Prompts {
  /** The answer to prompts that no hook answers. */
  mode: PromptMode
  /** Milliseconds of the chain's clock between a prompt and its automatic answer. */
  delay: number
  readonly #timeoutMs: number
  readonly #services: PromptServices
  readonly #open = new Set<OpenPrompt>()
  readonly #waiters = new Set<Waiter>()
  readonly hooks = new Set<PromptHook>()
  /** An entry per call of `rejectNext` that has not rejected a prompt yet: the method to reject, or undefined for any. */
  readonly rejections: (string | undefined)[] = []
  /** The methods for which prompts have opened. */
  readonly opened = new Set<string>()

  constructor({ prompts, delay, promptTimeout }: ResolvedWalletOptions, services: PromptServices) {
    this.mode = prompts
    this.delay = delay
    this.#timeoutMs = promptTimeout
    this.#services = services
  }

  get open(): readonly Prompt[] {
    return [...this.#open]
  }

  /**
   * Opens a prompt, and carries the request out when it is approved.
   *
   * @throws UserRejectedError, PromptTimeoutError, DisconnectedError, and the errors of `carryOut`
   */
  ask<T>(request: PromptRequest, carryOut: CarryOut<T>): Promise<T> {
    const prompt = openPrompt(request, this.#services, carryOut)
    this.#open.add(prompt)
    this.opened.add(prompt.method)
    prompt.onSettled(() => this.#open.delete(prompt))
    this.#decide(prompt).catch((error) => {
      this.#services.onError(toError(error))
      if (prompt.isOpen) void prompt.reject()
    })
    return prompt.result
  }

  /** Takes a prompt that the test will answer: an open one, or the next. @throws NoPromptError */
  waitFor(method: string | undefined, timeoutMs: number): Promise<Prompt> {
    const open = [...this.#open].find((one) => !one.isTaken && isOf(one, method))
    if (open !== undefined) {
      open.isTaken = true
      return Promise.resolve(open)
    }
    const waiting = new Promise<Prompt>((resolve, reject) => {
      const end = (settle: () => void): void => {
        this.#waiters.delete(waiter)
        stopTimer()
        settle()
      }
      const waiter: Waiter = {
        method,
        take: (prompt) => end(() => resolve(prompt)),
        fail: (reason) => end(() => reject(new NoPromptError(method, reason))),
      }
      this.#waiters.add(waiter)
      const stopTimer = startTimer(timeoutMs, () => waiter.fail(`within ${timeoutMs} ms`))
    })
    // Prevents an unhandled rejection if the test fails before it awaits the prompt.
    waiting.catch(() => {})
    return waiting
  }

  /** Ends the prompts of a frame; without a frame, ends all prompts and the calls that wait for a prompt. */
  end(reason: string, frame?: Frame): void {
    for (const prompt of this.#open)
      if (frame === undefined || prompt.frame === frame) prompt.fail(new DisconnectedError(), reason)
    if (frame === undefined) for (const waiter of this.#waiters) waiter.fail(`before ${reason}`)
  }

  async #decide(prompt: OpenPrompt): Promise<void> {
    const rejection = this.rejections.findIndex((method) => isOf(prompt, method))
    const isRejected = this.rejections.splice(rejection, rejection < 0 ? 0 : 1).length > 0
    this.#offer(prompt)
    const ms = this.#timeoutMs
    const stopTimer = startTimer(ms, () =>
      prompt.fail(new PromptTimeoutError(prompt.method, ms), `it was not answered within ${ms} ms`),
    )
    prompt.onSettled(stopTimer)
    for (const hook of this.hooks) {
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
      const { clock } = this.#services
      const timer = clock.setTimeout(resolve, this.delay)
      prompt.onSettled(() => {
        clock.clearTimeout(timer)
        resolve()
      })
    })
  }

  #offer(prompt: OpenPrompt): void {
    const waiter = [...this.#waiters].find(({ method }) => isOf(prompt, method))
    prompt.isTaken = waiter !== undefined
    waiter?.take(prompt)
  }
}

function isOf(prompt: Prompt, method: string | undefined): boolean {
  return method === undefined || method === prompt.method
}

/** Starts a timer in real time: on a manual clock that stands still, the test would hang. Returns a function that stops it. */
function startTimer(ms: number, fn: () => void): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => {}
  const timer = systemClock.setTimeout(fn, ms)
  return () => systemClock.clearTimeout(timer)
}
