/**
 * The envelope of JSON-RPC 2.0 (spec.md §4.1): the text of a message in, the text of its answer out. Owns nothing.
 *
 * @see https://www.jsonrpc.org/specification
 */
import {
  BatchTooLargeError,
  EmptyBatchError,
  InternalError,
  InvalidRequestError,
  ParseError,
} from '../errors.ts'

/** What requests are put to: an EIP-1193 provider, preseal's or any other. */
export interface Requester {
  /** Answers one request, or rejects with `{ code, message, data }`. */
  request(args: { readonly method: string; readonly params?: unknown }): Promise<unknown>
}

/** What an error says on the wire. */
interface WireError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Text that was answered with nothing: all of it notifications. */
type Answer = string | undefined

/**
 * Answers a message: one request, or a batch of them. The requests of a batch start in their order and run at the same
 * time, as JSON-RPC allows; their answers keep the order. A request without `id` is a notification: it is executed, and
 * not answered. Never rejects.
 */
export async function answerMessage(text: string, requester: Requester, maxBatch: number): Promise<Answer> {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return encodeFailure(new ParseError())
  }
  if (!Array.isArray(message)) return answerRequest(message, requester)
  if (message.length === 0) return encodeFailure(new EmptyBatchError())
  if (message.length > maxBatch) return encodeFailure(new BatchTooLargeError(message.length, maxBatch))
  const answers = await Promise.all(message.map((request) => answerRequest(request, requester)))
  const given = answers.filter((answer) => answer !== undefined)
  return given.length === 0 ? undefined : `[${given.join(',')}]`
}

/** An error as the answer to what cannot be told by an id, or to the request with this one. */
export function encodeFailure(thrown: unknown, id: Id = null): string {
  const error = toWireError(thrown)
  try {
    return JSON.stringify({ jsonrpc: '2.0', id, error })
  } catch (cause) {
    // Only a provider that is not ours has data that JSON cannot say.
    return encodeFailure(new InternalError(cause), id)
  }
}

/** A notification up to what it tells, which is followed by {@link NOTIFICATION_TAIL}. */
export function notificationHead(subscription: string): string {
  return `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":${JSON.stringify(subscription)},"result":`
}

/** The end of every notification. */
export const NOTIFICATION_TAIL = '}}'

type Id = string | number | null

interface RpcRequest {
  /** Undefined: a notification. */
  readonly id: Id | undefined
  readonly method: string
  readonly params: unknown
}

async function answerRequest(message: unknown, requester: Requester): Promise<Answer> {
  let request: RpcRequest
  try {
    request = readRequest(message)
  } catch (error) {
    return encodeFailure(error, readId(message) ?? null)
  }
  const { id, method, params } = request
  try {
    const result = await requester.request(params === undefined ? { method } : { method, params })
    if (id === undefined) return undefined
    return JSON.stringify({ jsonrpc: '2.0', id, result: result === undefined ? null : result })
  } catch (error) {
    return id === undefined ? undefined : encodeFailure(error, id)
  }
}

/** @throws InvalidRequestError */
function readRequest(message: unknown): RpcRequest {
  if (!isRecord(message)) throw new InvalidRequestError('an object')
  const { jsonrpc, method, params } = message
  if (jsonrpc !== '2.0') throw new InvalidRequestError("'2.0' as jsonrpc")
  const id = readId(message)
  if (id === undefined && Object.hasOwn(message, 'id')) {
    throw new InvalidRequestError('a string, a number or null as id')
  }
  if (typeof method !== 'string') throw new InvalidRequestError('a string as method')
  return { id, method, params }
}

/** The id, or undefined where there is none or one of another type. */
function readId(message: unknown): Id | undefined {
  if (!isRecord(message) || !Object.hasOwn(message, 'id')) return undefined
  const { id } = message
  // A number beyond what a double holds was read as infinity, and would be echoed as null.
  const valid = typeof id === 'string' || id === null || (typeof id === 'number' && Number.isFinite(id))
  return valid ? id : undefined
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Any provider's error; what has no code is a fault, and says nothing of itself. */
function toWireError(thrown: unknown): WireError {
  const { code, message, data } = (thrown ?? {}) as Partial<WireError>
  if (!Number.isSafeInteger(code) || typeof message !== 'string')
    return toWireError(new InternalError(thrown))
  return { code: code as number, message, ...(data !== undefined && { data }) }
}
