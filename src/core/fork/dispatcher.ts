/**
 * Gathers requests to the forked node into trips, retries them, and limits their number and time.
 *
 * Owns: pending requests, trips and their window, and timers. Does not own: the way to the node (`Route`), nor the
 * meaning of answers.
 */

import type { Clock, Timer } from '../../base/clock.ts'
import { toError } from '../../base/emitter.ts'
import { SchemaError } from '../../base/errors.ts'
import { isObject } from '../../base/schema.ts'
import { toPlainJson } from './answers.ts'
import {
  ForkClosedError,
  ForkedNodeUnansweredError,
  InvalidRemoteAnswerError,
  RemoteRpcError,
  TripError,
} from './errors.ts'

/** How many times a request may be sent. */
const MAX_ATTEMPTS = 6

/** How many times a request may be sent while the node was never found: its URL is probably wrong. */
const BRIEF_ATTEMPTS = 3

/** Milliseconds before the second attempt. Each later wait is twice as long. Up to a quarter is added at random. */
const FIRST_WAIT = 250

/** The limits of requests. */
export interface DispatcherOptions {
  /** Maximum trips in flight. */
  readonly concurrency: number
  /** Milliseconds per request, all attempts included. */
  readonly timeout: number
  /** The system clock, even for a chain with a manual clock. */
  readonly clock: Clock
}

interface Call extends Question {
  readonly key: string
  readonly answer: Promise<unknown>
  readonly resolve: (answer: unknown) => void
  readonly reject: (error: Error) => void
  isSettled: boolean
  attempts: number
  /** Whether it was retried because the node did not know the block or had lost the state. */
  wasBehind: boolean
  deadline: number | undefined
  failure: TripError | undefined
}

interface Trip {
  readonly calls: readonly Call[]
  readonly controller: AbortController
}

/** See the file's header. */
export class Dispatcher {
  readonly #route: Route
  readonly #clock: Clock
  readonly #timeout: number
  readonly #window: TripWindow
  /** Unsettled calls, by method and params. */
  readonly #calls = new Map<string, Call>()
  #waiting: Call[] = []
  /** Calls with a deadline, earliest first. */
  readonly #started = new Set<Call>()
  readonly #trips = new Set<Trip>()
  readonly #retries = new Set<Timer>()
  #deadlineTimer: Timer | undefined
  #lastAnswer = Number.NEGATIVE_INFINITY
  /** How many timers hold back all trips because the node limits the rate. */
  #pauses = 0
  #isScheduled = false
  #isClosed = false

  constructor(route: Route, { concurrency, timeout, clock }: DispatcherOptions) {
    this.#route = route
    this.#clock = clock
    this.#timeout = timeout
    this.#window = new TripWindow(concurrency)
  }

  /** Asks the node. Equal requests in flight share a trip, and each caller gets a fresh value. */
  ask({ method, params }: Question): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new ForkClosedError(method))
    const key = JSON.stringify([method, params])
    const equal = this.#calls.get(key)
    if (equal !== undefined) return equal.answer.then(toPlainJson)
    const call = createCall(key, method, params)
    this.#calls.set(key, call)
    this.#waiting.push(call)
    if (this.#isScheduled) return call.answer
    this.#isScheduled = true
    // In a microtask, so that all requests made before it share a trip.
    queueMicrotask(() => {
      this.#isScheduled = false
      this.#send()
    })
    return call.answer
  }

  close(): void {
    this.#isClosed = true
    for (const call of [...this.#calls.values()]) this.#reject(call, new ForkClosedError(call.method))
    this.#waiting = []
    for (const { controller } of this.#trips) controller.abort()
    for (const timer of this.#retries) this.#clock.clearTimeout(timer)
    this.#retries.clear()
  }

  #send(): void {
    while (this.#waiting.length > 0 && this.#pauses === 0) {
      if (this.#trips.size >= this.#window.size) return
      void this.#travel(this.#waiting.splice(0, this.#route.batch))
    }
  }

  async #travel(calls: readonly Call[]): Promise<void> {
    for (const call of calls) {
      call.attempts += 1
      if (call.deadline === undefined) {
        call.deadline = this.#clock.now() + this.#timeout
        this.#started.add(call)
      }
    }
    this.#watchDeadlines()
    const trip = { calls, controller: new AbortController() }
    const { era } = this.#window
    this.#trips.add(trip)
    try {
      const { signal } = trip.controller
      const outcomes = await untilAborted(this.#route.send(calls, signal), signal)
      this.#trips.delete(trip)
      if (outcomes !== undefined) this.#settle(calls, outcomes, era)
    } catch (error) {
      this.#trips.delete(trip)
      for (const call of calls) this.#reject(call, toError(error))
    }
    this.#send()
  }

  #settle(calls: readonly Call[], outcomes: readonly Outcome[], era: number): void {
    const refused: Call[] = []
    const again: Call[] = []
    let wait = 0
    let isLimited = false
    if (outcomes.some(isAnswered)) this.#lastAnswer = this.#clock.now()
    for (const [i, call] of calls.entries()) {
      const outcome = outcomes[i]!
      if (call.isSettled) continue
      if (outcome.kind === 'answer') {
        this.#finish(call)
        call.resolve(outcome.value)
      } else if (outcome.kind === 'invalid') {
        this.#reject(call, new InvalidRemoteAnswerError(call.method, call.params, '', outcome.expected))
      } else if (outcome.kind === 'refused') {
        call.attempts -= 1
        refused.push(call)
      } else {
        const failure = outcome.kind === 'failure' ? outcome : this.#failureOf(call, outcome)
        isLimited ||= failure?.retry === 'slower'
        const due = failure && this.#waitBefore(call, failure)
        if (failure !== undefined) call.failure = failure.error
        if (due === undefined) {
          const unanswered = () => new ForkedNodeUnansweredError(call.method, call.failure!)
          this.#giveUp(call, outcome.kind === 'error' ? outcome.error : unanswered())
        } else {
          wait = Math.max(wait, due)
          again.push(call)
        }
      }
    }
    if (isLimited) this.#window.shrink(era)
    else this.#window.grow()
    this.#waiting.unshift(...refused)
    if (again.length > 0) this.#retry(again, wait, isLimited)
  }

  /** Converts an error of the node to a failure if a retry may succeed; returns undefined if the error is final. */
  #failureOf(call: Call, { error, after }: Extract<Outcome, { kind: 'error' }>): Failure | undefined {
    const cause = new TripError(this.#route.place, error.message)
    if (isRateLimit(error)) return { kind: 'failure', error: cause, retry: 'slower', after }
    if (call.wasBehind || !isBehind(error)) return undefined
    call.wasBehind = true
    return { kind: 'failure', error: cause, retry: 'later' }
  }

  #waitBefore(call: Call, { retry, after = 0 }: Failure): number | undefined {
    const isUnknown = this.#lastAnswer === Number.NEGATIVE_INFINITY
    const limit = retry === 'briefly' && isUnknown ? BRIEF_ATTEMPTS : MAX_ATTEMPTS
    if (retry === 'never' || call.attempts >= limit) return undefined
    const wait = Math.max(after, FIRST_WAIT * 2 ** (call.attempts - 1) * (1 + Math.random() / 4))
    return this.#clock.now() + wait < call.deadline! ? wait : undefined
  }

  #retry(calls: readonly Call[], wait: number, isLimited: boolean): void {
    // A rate limit concerns all requests, not only the refused ones.
    if (isLimited) this.#pauses += 1
    const timer = this.#clock.setTimeout(() => {
      if (isLimited) this.#pauses -= 1
      this.#retries.delete(timer)
      this.#waiting.unshift(...calls.filter(({ isSettled }) => !isSettled))
      this.#send()
    }, wait)
    this.#retries.add(timer)
  }

  /**
   * Rejects a call for good. If the node has answered nothing since the call's first trip, also rejects the calls that
   * were never sent, since they would probably fail too.
   */
  #giveUp(call: Call, error: Error): void {
    const started = call.deadline! - this.#timeout
    this.#reject(call, error)
    if (call.failure === undefined || this.#lastAnswer >= started) return
    const unsent = this.#waiting.filter(({ deadline }) => deadline === undefined)
    this.#waiting = this.#waiting.filter(({ deadline }) => deadline !== undefined)
    for (const one of unsent) this.#reject(one, new ForkedNodeUnansweredError(one.method, call.failure))
  }

  #watchDeadlines(): void {
    const [first] = this.#started
    if (first === undefined || this.#deadlineTimer !== undefined) return
    this.#deadlineTimer = this.#clock.setTimeout(() => {
      this.#deadlineTimer = undefined
      const now = this.#clock.now()
      for (const call of [...this.#started]) {
        if (call.deadline! > now) break
        call.failure ??= new TripError(this.#route.place, `no answer within ${this.#timeout} ms`)
        this.#giveUp(call, new ForkedNodeUnansweredError(call.method, call.failure))
      }
      for (const { calls, controller } of this.#trips) {
        if (calls.every(({ isSettled }) => isSettled)) controller.abort()
      }
      this.#watchDeadlines()
    }, first.deadline! - this.#clock.now())
  }

  #reject(call: Call, error: Error): void {
    this.#finish(call)
    call.reject(error)
  }

  #finish(call: Call): void {
    call.isSettled = true
    if (this.#calls.get(call.key) === call) this.#calls.delete(call.key)
    this.#started.delete(call)
    if (this.#started.size > 0 || this.#deadlineTimer === undefined) return
    this.#clock.clearTimeout(this.#deadlineTimer)
    this.#deadlineTimer = undefined
  }
}

function isAnswered(outcome: Outcome): boolean {
  return outcome.kind === 'error' ? !isRateLimit(outcome.error) : outcome.kind !== 'failure'
}

function createCall(key: string, method: string, params: readonly unknown[]): Call {
  let resolve!: Call['resolve']
  let reject!: Call['reject']
  const answer = new Promise<unknown>((onAnswer, onError) => {
    resolve = onAnswer
    reject = onError
  })
  const state = { isSettled: false, attempts: 0, wasBehind: false, deadline: undefined, failure: undefined }
  return { key, method, params, answer, resolve, reject, ...state }
}

/** Settles like the promise, or resolves to undefined when the signal is aborted: a provider may ignore the signal. */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true })
    promise.then(resolve, reject)
  })
}

/** Limits how many trips are in flight. A rate limit halves the limit, and successes raise it slowly. */
export class TripWindow {
  readonly #max: number
  #width: number
  /** Counts how often the window was halved. */
  era = 0

  constructor(max: number) {
    this.#max = max
    this.#width = max
  }

  get size(): number {
    return Math.floor(this.#width)
  }

  /** Halves the window. Does nothing if it was halved after the trip began, since the trip met the same rate limit. */
  shrink(eraOfTrip: number): void {
    if (eraOfTrip !== this.era) return
    this.era += 1
    this.#width = Math.max(1, this.#width / 2)
  }

  /** Widens the window by one per full window of trips. */
  grow(): void {
    this.#width = Math.min(this.#max, this.#width + 1 / this.#width)
  }
}

/** A request without its id. */
export interface Question {
  readonly method: string
  readonly params: readonly unknown[]
}

/** How a request ended: answered, refused, or failed on the way. The node may ask to wait `after` milliseconds. */
export type Outcome =
  | { readonly kind: 'answer'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: RemoteRpcError; readonly after?: number | undefined }
  /** The answer breaks JSON-RPC, or its result is not plain JSON. */
  | { readonly kind: 'invalid'; readonly expected: string }
  /** The node refused the batch. Smaller batches may succeed. */
  | { readonly kind: 'refused' }
  | Failure

/** The request was not answered. */
export interface Failure {
  readonly kind: 'failure'
  readonly error: TripError
  /** Whether to retry: `slower` after a rate limit, `briefly` (fewer times) if there may be no node at the URL. */
  readonly retry: 'never' | 'briefly' | 'later' | 'slower'
  /** How many milliseconds the node asks to wait. */
  readonly after?: number | undefined
}

/** A way to a node: HTTP, or an EIP-1193 provider. */
export interface Route {
  /** The node's name in errors, without secrets. */
  readonly place: string
  /** Maximum requests per trip. */
  readonly batch: number
  /** Whether a text contains a secret of the node's URL or headers. */
  hasSecret(text: string): boolean
  /** Sends requests, and returns their outcomes in order. Never rejects. */
  send(questions: readonly Question[], signal: AbortSignal): Promise<readonly Outcome[]>
}

/** Copies a result as plain JSON. The outcome is `invalid` if it is not JSON. */
export function toAnswer(result: unknown): Outcome {
  try {
    return { kind: 'answer', value: toPlainJson(result) }
  } catch (error) {
    // Reading objects of a provider can throw anything.
    return { kind: 'invalid', expected: error instanceof SchemaError ? error.expected : 'JSON' }
  }
}

const MAX_MESSAGE = 10_000

/** Reads the error object of an answer. @param hide - replaces secrets in a text. */
export function toErrorOutcome(error: unknown, hide: (text: string) => string): Outcome {
  if (!isObject(error) || !Number.isSafeInteger(error['code']) || typeof error['message'] !== 'string') {
    return { kind: 'invalid', expected: 'an error with a code and a message' }
  }
  const data = error['data'] === undefined ? undefined : toAnswer(error['data'])
  if (data !== undefined && data.kind !== 'answer') return data
  const message = hide(error['message'])
  const shown = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message
  const shownData = data && hideIn(data.value, hide)
  return { kind: 'error', error: new RemoteRpcError(error['code'] as number, shown, shownData) }
}

function hideIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value)
  if (typeof value === 'number') return hide(String(value)) === String(value) ? value : hide(String(value))
  if (Array.isArray(value)) return value.map((one) => hideIn(one, hide))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [hide(name), hideIn(one, hide)]))
}

/** Whether an error reports a rate limit. The code -32005 can also mean that a result is too long. */
export function isRateLimit({ code, message }: RemoteRpcError): boolean {
  return code === 429 || (code === -32005 && !/more than|too many (logs|results|blocks)|range/i.test(message))
}

const STATE_LOST =
  /missing trie node|(state|proof)s?\b.*\b(not|no longer|un) ?available|no state available|state.*\bpruned|pruned.*\bstate|proof window/i

/** Whether the node has pruned the state, by the error's message: the clients have no error code for it. */
export function isStateLost({ message }: RemoteRpcError): boolean {
  return STATE_LOST.test(message)
}

/** Whether a retry may help: nodes behind one URL may lag behind each other. */
function isBehind(error: RemoteRpcError): boolean {
  return isStateLost(error) || /header (for hash )?not found|unknown block/i.test(error.message)
}
