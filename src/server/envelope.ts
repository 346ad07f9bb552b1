/**
 * The envelope of JSON-RPC 2.0 (spec.md §4.1): the text of a message in, the text of its answer out. Owns nothing.
 *
 * @see https://www.jsonrpc.org/specification
 */
import { systemClock } from '../primitives/clock.ts'
import { createYielder } from '../primitives/yielder.ts'
import { InternalError, InvalidRequestError } from '../rpc/errors.ts'
import { BatchTooLargeError, EmptyBatchError, ParseError, ResponseTooLargeError } from './errors.ts'
import { readExactIds } from './exactIds.ts'

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

/** What is answered of a message. */
export interface MessageLimits {
  /** Requests of a batch. */
  readonly maxBatch: number
  /** Characters of a batch's answer, after which what is left is refused. */
  readonly maxBatchResponseBytes: number
}

/**
 * Answers a message: one request, or a batch of them. A request without `id` is a notification: it is executed, and not
 * answered. Never rejects.
 */
export async function answerMessage(
  text: string,
  requester: Requester,
  { maxBatch, maxBatchResponseBytes }: MessageLimits,
): Promise<Answer> {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return encodeFailure(new ParseError())
  }
  let exactIds: readonly (string | undefined)[] | undefined
  const read = (message: unknown, place: number): Message => {
    const id = readId(message, () => {
      exactIds ??= readExactIds(text)
      return exactIds[place]
    })
    return { id, message }
  }
  if (!Array.isArray(message)) return answerRequest(read(message, 0), requester)
  if (message.length === 0) return encodeFailure(new EmptyBatchError())
  if (message.length > maxBatch) return encodeFailure(new BatchTooLargeError(message.length, maxBatch))
  return answerBatch(message.map(read), requester, maxBatchResponseBytes)
}

/**
 * The requests of a batch start in their order, and their answers keep it. One that is answered at once has been before
 * the next one starts, so that no more than one result at a time is held beside the answers; one that waits for
 * something, such as a tick, is not waited for. As go-ethereum does, whatever is left when the answers are longer than
 * the limit is refused, and not executed if it has not been. An answer that is no longer than the refusal is given
 * all the same: it can be the id of a subscription.
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
    // What else the host has to do, ticks among it, does not wait for all of a batch.
    await pause()
  }
  const given = (await Promise.all(answers)).filter((answer) => answer !== undefined)
  return given.length === 0 ? undefined : `[${given.join(',')}]`
}

/**
 * An error as the answer to what cannot be told by an id, or to a request.
 *
 * @param id - as JSON
 */
export function encodeFailure(thrown: unknown, id = 'null'): string {
  const error = toWireError(thrown)
  try {
    return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`
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

/** A request or what came in its place, and its id. */
interface Message {
  /** As JSON; undefined if there is none, or one of another type. */
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
  if (!isRecord(message)) throw new InvalidRequestError('an object')
  const { jsonrpc, method, params } = message
  if (jsonrpc !== '2.0') throw new InvalidRequestError("'2.0' as jsonrpc")
  if (id === undefined && Object.hasOwn(message, 'id')) {
    throw new InvalidRequestError('a string, a number or null as id')
  }
  if (typeof method !== 'string') throw new InvalidRequestError('a string as method')
  return { method, params }
}

/** The id as JSON, or undefined if there is none or one of another type. */
function readId(message: unknown, exactId: () => string | undefined): string | undefined {
  if (!isRecord(message) || !Object.hasOwn(message, 'id')) return undefined
  const { id } = message
  if (typeof id === 'string' || id === null || Number.isSafeInteger(id)) return JSON.stringify(id)
  return typeof id === 'number' ? exactId() : undefined
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
