/** The envelope of JSON-RPC 2.0 (spec.md §4.1): from the text of a message to the text of the answer. Owns nothing. */

import { systemClock } from '../../base/clock.ts'
import type { PresealRpcError } from '../../base/errors.ts'
import { isObject } from '../../base/schema.ts'
import { createYielder } from '../../base/waiting.ts'
import { InternalError, InvalidRequestError } from '../../rpc/errors.ts'
import { BatchTooLargeError, EmptyBatchError, ParseError, ResponseTooLargeError } from './errors.ts'

/** Answers requests: any EIP-1193 provider, not only preseal's. */
export interface Requester {
  /** Answers a request, or rejects with `{ code, message, data }`. */
  request(args: { readonly method: string; readonly params?: unknown }): Promise<unknown>
}

interface WireError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
  /** The Solidity stack trace of a failed execution; see `findSolidityTrace`. */
  readonly solidity?: unknown
}

/** The text of an answer; undefined if the message has only valid requests without `id`. */
type Answer = string | undefined

/**
 * Answers a request or a batch. Valid requests without `id` are executed but not answered. Never rejects.
 *
 * @param admit - returns the refusal of a message with this many requests; undefined if it is admitted.
 */
export async function answerMessage(
  text: string,
  requester: Requester,
  { maxBatch, maxBatchResponseBytes }: { readonly maxBatch: number; readonly maxBatchResponseBytes: number },
  admit?: (requests: number) => PresealRpcError | undefined,
): Promise<Answer> {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return encodeFailure(admit?.(1) ?? new ParseError())
  }
  let exactIds: readonly (string | undefined)[] | undefined
  const read = (message: unknown, place: number): Message => {
    const id = readId(message, () => {
      exactIds ??= readExactIds(text)
      return exactIds[place]
    })
    return { id, message }
  }
  const batch = Array.isArray(message) ? message : undefined
  const isTooLong = batch !== undefined && batch.length > maxBatch
  const refusal = admit?.(batch === undefined || isTooLong ? 1 : Math.max(1, batch.length))
  if (batch === undefined) {
    const one = read(message, 0)
    return refusal === undefined ? answerRequest(one, requester) : refuse(one, refusal)
  }
  if (batch.length === 0) return encodeFailure(refusal ?? new EmptyBatchError())
  if (isTooLong) return encodeFailure(refusal ?? new BatchTooLargeError(batch.length, maxBatch))
  const messages = batch.map(read)
  if (refusal !== undefined) return toBatch(messages.map((one) => refuse(one, refusal)))
  return answerBatch(messages, requester, maxBatchResponseBytes)
}

/**
 * Starts the requests of a batch in order and answers in the same order. Waits for each answer for up to one turn, so
 * that at most one result is held beside the answers, and a request that waits for a tick does not delay the rest. When
 * the answers exceed the limit, further requests are refused, as in go-ethereum. An answer no longer than the refusal is
 * still sent: it can be a subscription's id.
 */
async function answerBatch(batch: readonly Message[], requester: Requester, limit: number): Promise<Answer> {
  let length = 0
  const pause = createYielder(systemClock)
  const answerWithin = async (message: Message): Promise<Answer> => {
    const answer = length > limit ? undefined : await answerRequest(message, requester)
    if (length > limit && message.id !== undefined) {
      const refusal = encodeFailure(new ResponseTooLargeError(limit), message.id)
      return answer !== undefined && answer.length <= refusal.length ? answer : refusal
    }
    length += answer?.length ?? 0
    return answer
  }
  const answers: Promise<Answer>[] = []
  for (const message of batch) {
    const answer = answerWithin(message)
    answers.push(answer)
    await Promise.race([answer, systemClock.yield()])
    // Lets the host do other work, such as ticks.
    await pause()
  }
  return toBatch(await Promise.all(answers))
}

function refuse({ id }: Message, refusal: PresealRpcError): Answer {
  return id === undefined ? undefined : encodeFailure(refusal, id)
}

function toBatch(answers: readonly Answer[]): Answer {
  const given = answers.filter((answer) => answer !== undefined)
  return given.length === 0 ? undefined : `[${given.join(',')}]`
}

/** Encodes an error as an answer. @param id - as JSON; by default `null`, for a message without id */
export function encodeFailure(thrown: unknown, id = 'null'): string {
  const error = toWireError(thrown)
  try {
    return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`
  } catch (cause) {
    // Only a foreign provider has data that JSON cannot encode.
    return encodeFailure(new InternalError(cause), id)
  }
}

/** Returns the text of a notification before its result; {@link NOTIFICATION_TAIL} follows the result. */
export function notificationHead(subscription: string): string {
  const id = JSON.stringify(subscription)
  return `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":${id},"result":`
}

/** The text of a notification after its result; {@link notificationHead} is the text before it. */
export const NOTIFICATION_TAIL = '}}'

/** An element of a batch, or a message that is not a batch; not validated yet. */
interface Message {
  /** As JSON; undefined if absent or of an invalid type. */
  readonly id: string | undefined
  readonly message: unknown
}

async function answerRequest({ id, message }: Message, requester: Requester): Promise<Answer> {
  let request: { readonly method: string; readonly params: unknown }
  try {
    request = readRequest(message, id)
  } catch (error) {
    return encodeFailure(error, id)
  }
  const { method, params } = request
  try {
    const result = await requester.request(params === undefined ? { method } : { method, params })
    if (id === undefined) return undefined
    return `{"jsonrpc":"2.0","id":${id},"result":${JSON.stringify(result) ?? 'null'}}`
  } catch (error) {
    return id === undefined ? undefined : encodeFailure(error, id)
  }
}

/** @throws InvalidRequestError */
function readRequest(message: unknown, id: string | undefined) {
  if (!isObject(message)) throw new InvalidRequestError('an object')
  const { jsonrpc, method, params } = message
  if (jsonrpc !== '2.0') throw new InvalidRequestError("'2.0' as jsonrpc")
  if (id === undefined && Object.hasOwn(message, 'id')) {
    throw new InvalidRequestError('a string, a number or null as id')
  }
  if (typeof method !== 'string') throw new InvalidRequestError('a string as method')
  return { method, params }
}

function readId(message: unknown, exactId: () => string | undefined): string | undefined {
  if (!isObject(message) || !Object.hasOwn(message, 'id')) return undefined
  const { id } = message
  if (typeof id === 'string' || id === null || Number.isSafeInteger(id)) return JSON.stringify(id)
  return typeof id === 'number' ? exactId() : undefined
}

/** Converts an error of any provider. Without an integer code or a message, it becomes an internal error. */
function toWireError(thrown: unknown): WireError {
  const { code, message, data, solidity } = (thrown ?? {}) as Partial<WireError>
  if (!Number.isSafeInteger(code) || typeof message !== 'string')
    return toWireError(new InternalError(thrown))
  return {
    code: code as number,
    message,
    ...(data !== undefined && { data }),
    ...(solidity !== undefined && { solidity }),
  }
}

/**
 * Returns the numeric ids of a valid message as written, by index in the batch: `JSON.parse` rounds numbers that a
 * double cannot hold, but the answer must have the exact id.
 */
export function readExactIds(text: string): (string | undefined)[] {
  const ids: (string | undefined)[] = []
  const isBatch = /^\s*\[/.test(text)
  // The depth of a request's keys. The keys in its params are deeper.
  const requestDepth = isBatch ? 2 : 1
  let depth = 0
  let request = 0
  let key = ''
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') {
      const end = endOfString(text, at)
      if (depth === requestDepth) key = text.slice(at, end + 1)
      at = end
    } else if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') depth -= 1
    else if (char === ',' && isBatch && depth === 1) request += 1
    else if (char === ':' && depth === requestDepth && JSON.parse(key) === 'id') {
      NUMBER.lastIndex = at + 1
      ids[request] = NUMBER.exec(text)?.[1]
    }
  }
  return ids
}

const NUMBER = /\s*(-?\d[\d.eE+-]*)/y

function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at
}
