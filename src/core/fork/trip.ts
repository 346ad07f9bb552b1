/** One trip to the forked node: what is asked, and what can come of each request. */
import { SchemaError } from '../../base/errors.ts'
import { isObject } from '../../base/schema.ts'
import { toPlainJson } from './answers.ts'
import { RemoteRpcError, type TripError } from './errors.ts'

/** A request on its way. */
export interface Question {
  readonly method: string
  readonly params: readonly unknown[]
}

/** What came of a request. */
export type Outcome =
  | { readonly kind: 'answer'; readonly value: unknown }
  /** The node answered with an error. */
  | { readonly kind: 'error'; readonly error: RemoteRpcError; readonly after?: number | undefined }
  /** The node answered with something that is no answer. */
  | { readonly kind: 'invalid'; readonly expected: string }
  /** The node refused the batch: it has to be asked again in smaller ones. */
  | { readonly kind: 'refused' }
  | Failure

/** No answer came. */
export interface Failure {
  readonly kind: 'failure'
  readonly error: TripError
  /** Whether to try again: `slower` if the node limits the rate, `briefly` if there may be no node. */
  readonly retry: 'never' | 'briefly' | 'later' | 'slower'
  /** Milliseconds that the node asks to wait. */
  readonly after?: number | undefined
}

/** A way to the forked node. */
export interface Route {
  /** The node's name in errors; it has no secrets. */
  readonly place: string
  /** Requests of a trip. */
  readonly batch: number
  /** Asks, and gives the outcomes in the order of the questions. Never rejects. */
  send(questions: readonly Question[], signal: AbortSignal): Promise<readonly Outcome[]>
}

/** An answer, once it is known to be plain JSON. */
export function toAnswer(result: unknown): Outcome {
  try {
    return { kind: 'answer', value: toPlainJson(result) }
  } catch (error) {
    // Objects of a provider can throw anything when they are read.
    return { kind: 'invalid', expected: error instanceof SchemaError ? error.expected : 'JSON' }
  }
}

/** Characters of an error's message. */
const MAX_MESSAGE = 10_000

/** The error object of an answer. */
export function toErrorOutcome(error: unknown, hide: (text: string) => string = (text) => text): Outcome {
  if (!isObject(error) || !Number.isSafeInteger(error['code']) || typeof error['message'] !== 'string') {
    return { kind: 'invalid', expected: 'an error with a code and a message' }
  }
  const data = error['data'] === undefined ? undefined : toAnswer(error['data'])
  if (data !== undefined && data.kind !== 'answer') return data
  const shown = data && hideIn(data.value, hide)
  return {
    kind: 'error',
    error: new RemoteRpcError(error['code'] as number, shorten(hide(error['message'])), shown),
  }
}

function shorten(message: string): string {
  return message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message
}

/** The same JSON with its texts, names and numbers as `hide` leaves them. */
function hideIn(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value)
  if (typeof value === 'number') return hide(String(value)) === String(value) ? value : hide(String(value))
  if (Array.isArray(value)) return value.map((one) => hideIn(one, hide))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [hide(name), hideIn(one, hide)]))
}

/** Whether a node's error is its limit of requests per time. -32005 is also the limit of a result's length. */
export function isRateLimit({ code, message }: RemoteRpcError): boolean {
  return code === 429 || (code === -32005 && !/more than|too many (logs|results|blocks)|range/i.test(message))
}

const STATE_LOST =
  /missing trie node|(state|proof)s?\b.*\b(not|no longer|un) ?available|no state available|state.*\bpruned|pruned.*\bstate|proof window/i

/** Whether a node's error means that it has discarded a state. */
export function isStateLost({ message }: RemoteRpcError): boolean {
  return STATE_LOST.test(message)
}

/** Whether another try may help: the nodes behind one URL do not all have the same blocks. */
export function isBehind(error: RemoteRpcError): boolean {
  return isStateLost(error) || /header (for hash )?not found|unknown block/i.test(error.message)
}
