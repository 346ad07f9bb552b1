/**
 * The forked node at an HTTP URL, by `fetch`, in batches if it takes them.
 *
 * Owns: ids, and what it learned of the node's limit of batches. Whatever comes back is checked here: the status, the
 * size, JSON, ids and the completeness of a batch. No error has more of the URL than its origin, nor a header.
 */
import { type Clock, readDate } from '../../base/clock.ts'
import { isObject } from '../../base/schema.ts'
import { TripError } from './errors.ts'
import type { HttpTarget } from './httpTarget.ts'
import { type HttpReply, post } from './post.ts'
import {
  type Failure,
  isRateLimit,
  type Outcome,
  type Question,
  type Route,
  toAnswer,
  toErrorOutcome,
} from './trip.ts'

/** Statuses that say nothing about the request, besides those of 500 and above. */
const TEMPORARY = [408, 425]

/** Statuses of a node that does not know the caller: smaller batches change nothing. */
const DENIED = [401, 402, 403, 407]

const TOO_MANY_REQUESTS = 429

/** What go-ethereum answers to the requests of a batch for which its answer has no room left. */
const RESPONSE_TOO_LARGE = -32003

/** See the file's header. */
export class HttpRoute implements Route {
  readonly #target: HttpTarget
  readonly #clock: Clock
  #batch: number
  #nextId = 1

  constructor(target: HttpTarget, batch: number, clock: Clock) {
    this.#target = target
    this.#batch = batch
    this.#clock = clock
  }

  get place(): string {
    return this.#target.origin
  }

  get batch(): number {
    return this.#batch
  }

  async send(questions: readonly Question[], signal: AbortSignal): Promise<readonly Outcome[]> {
    const requests = questions.map(({ method, params }) => {
      return { jsonrpc: '2.0', id: this.#nextId++, method, params }
    })
    const ids = requests.map(({ id }) => id)
    const isBatch = requests.length > 1
    const reply = await post(this.#target, JSON.stringify(isBatch ? requests : requests[0]), signal)
    const outcomes = isBatch ? this.#readBatch(reply, ids) : this.#readSingle(reply, ids[0]!)
    return Array.isArray(outcomes) ? outcomes : ids.map(() => outcomes as Outcome)
  }

  #readSingle(reply: HttpReply | Failure, id: number): Outcome {
    if ('kind' in reply) return reply
    const { body, status } = reply
    if (status === TOO_MANY_REQUESTS) return this.#failureOf(reply)
    if (isObject(body) && body['id'] === id) return this.#read(body, reply)
    // A node that could not read who asks, or does not let it, has no id to answer to.
    const isNameless = isObject(body) && (body['id'] ?? null) === null && isObject(body['error'])
    if (isNameless && (status < 500 || status >= 600)) return this.#read(body, reply)
    return isSuccess(status) ? invalidBody(body, "an answer with the request's id") : this.#failureOf(reply)
  }

  /** The outcomes by request, or one for all. */
  #readBatch(reply: HttpReply | Failure, ids: readonly number[]): Outcome | readonly Outcome[] {
    if ('kind' in reply) return reply
    const { status, body } = reply
    if (Array.isArray(body) && status !== TOO_MANY_REQUESTS) return this.#readAnswers(body, ids, reply)
    if (isObject(body) && isObject(body['error'])) {
      const outcome = this.#read(body, reply)
      if (outcome.kind === 'error' && isRateLimit(outcome.error)) return outcome
      if (DENIED.includes(status)) return outcome
    }
    if (isObject(body) && isSuccess(status)) return this.#refused(body, ids.length)
    const isClientError = status >= 400 && status < 500 && ![TOO_MANY_REQUESTS, ...DENIED].includes(status)
    if (isClientError && !TEMPORARY.includes(status)) return this.#refused(body, ids.length, status === 413)
    return isSuccess(status) ? invalidBody(body, 'an array') : this.#failureOf(reply)
  }

  #readAnswers(
    answers: readonly unknown[],
    ids: readonly number[],
    reply: HttpReply,
  ): Outcome | readonly Outcome[] {
    const byId = new Map<unknown, Record<string, unknown>>()
    let nameless: Outcome | undefined
    for (const one of answers) {
      if (!isObject(one)) return { kind: 'invalid', expected: 'an array of objects' }
      if (one['id'] === null && isObject(one['error'])) nameless = this.#read(one, reply)
      else if (!ids.includes(one['id'] as number) || byId.has(one['id'])) {
        return { kind: 'invalid', expected: 'each id of the batch once' }
      } else byId.set(one['id'], one)
    }
    return ids.map((id) => {
      const answer = byId.get(id)
      if (answer === undefined) {
        return nameless ?? { kind: 'invalid', expected: 'an answer to each request of the batch' }
      }
      const outcome = this.#read(answer, reply)
      const isTooLarge = outcome.kind === 'error' && outcome.error.code === RESPONSE_TOO_LARGE
      return isTooLarge && /too large/i.test(outcome.error.message)
        ? this.#refused(undefined, ids.length, true)
        : outcome
    })
  }

  #read(answer: Record<string, unknown>, reply: HttpReply): Outcome {
    if ((answer['error'] ?? null) !== null) {
      const outcome = toErrorOutcome(answer['error'], this.#target.hide)
      return outcome.kind === 'error' ? { ...outcome, after: this.#waitOf(reply) } : outcome
    }
    return Object.hasOwn(answer, 'result')
      ? toAnswer(answer['result'])
      : { kind: 'invalid', expected: 'a result or an error' }
  }

  /** Remembers that batches of this length are refused; unless the length is the reason, all batches are. */
  #refused(
    body: unknown,
    length: number,
    isTooLong = /large|limit|exceed|size|max/i.test(textOf(body)),
  ): Outcome {
    this.#batch = Math.min(this.#batch, isTooLong ? Math.max(1, length >> 1) : 1)
    return { kind: 'refused' }
  }

  #failureOf(reply: HttpReply): Failure {
    const { status } = reply
    const isTemporary = status >= 500 || TEMPORARY.includes(status)
    return {
      kind: 'failure',
      error: new TripError(this.place, `HTTP status ${status}`),
      retry: status === TOO_MANY_REQUESTS ? 'slower' : isTemporary ? 'later' : 'never',
      after: this.#waitOf(reply),
    }
  }

  /** The header `Retry-After`, which is a number of seconds or a date, in milliseconds from now. */
  #waitOf({ retryAfter }: HttpReply): number | undefined {
    if (retryAfter === null) return undefined
    const wait = /^\d+$/.test(retryAfter)
      ? Number(retryAfter) * 1000
      : readDate(retryAfter) - this.#clock.now()
    return wait > 0 ? wait : undefined
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

function invalidBody(body: unknown, expected: string): Outcome {
  return { kind: 'invalid', expected: body === undefined ? 'JSON' : expected }
}

/** The message of an error in the place of a batch's answers. */
function textOf(body: unknown): string {
  const error = isObject(body) ? body['error'] : undefined
  return isObject(error) && typeof error['message'] === 'string' ? error['message'] : ''
}
