/**
 * The forked node at an HTTP URL, by `fetch`, in batches if it takes them.
 *
 * Owns: ids, and what it learned of the node's limit of batches. Whatever comes back is checked here: the status, the
 * size, JSON, ids and the completeness of a batch. No error has more of the URL than its origin, nor a header.
 */

import { type Clock, readDate } from '../../base/clock.ts'
import { InvalidOptionError } from '../../base/errors.ts'
import { isLoopback } from '../../base/loopback.ts'
import { moduleOfNode } from '../../base/nodeModule.ts'
import { isObject } from '../../base/schema.ts'
import {
  type Failure,
  isRateLimit,
  type Outcome,
  type Question,
  type Route,
  toAnswer,
  toErrorOutcome,
} from './dispatcher.ts'
import { TripError } from './errors.ts'

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

  hasSecret(text: string): boolean {
    return this.#target.hasSecret(text)
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

// One HTTP request: no redirect to another host, and an answer of limited size.

/** Bytes of an answer, after decompression. */
const MAX_BODY = 2 ** 26

/** Objects and arrays within each other: a parser takes many times as long for deeper ones as for others of their size. */
const MAX_DEPTH = 10_000

/** Redirects in a row, on loopback. */
const MAX_REDIRECTS = 5

/** The errors of a connection for which no host or no process was found. */
const ABSENT: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND'])

/** The errors of zlib and brotli for bytes that they have not written; not that of a body that is cut off, Z_BUF_ERROR. */
const UNDECODABLE = /^(Z_(?!BUF_ERROR)|ERR__ERROR_FORMAT|ERR_PADDING)/

/** An answer. */
interface HttpReply {
  readonly status: number
  readonly retryAfter: string | null
  /** The JSON; undefined if it is none. */
  readonly body: unknown
}

/** Posts a text. Never rejects: a failure says why there is no answer. */
async function post(
  { url, origin, headers }: HttpTarget,
  body: string,
  signal: AbortSignal,
): Promise<HttpReply | Failure> {
  const fail = (problem: string, retry: Failure['retry']): Failure => {
    return { kind: 'failure', error: new TripError(origin, problem), retry }
  }
  try {
    let target = url
    for (let redirects = 0; ; redirects++) {
      const response = await exchange(target, { headers, body, signal })
      if (!response.isRedirect) {
        const text = await readText(response)
        if (text === undefined) return fail(`an answer of more than ${MAX_BODY} bytes`, 'never')
        return { status: response.status, retryAfter: response.header('retry-after'), body: parse(text) }
      }
      response.discard()
      const next = redirectOf(target, response)
      if (next === undefined || redirects === MAX_REDIRECTS)
        return fail('a redirect, which is not followed', 'never')
      target = next
    }
  } catch (error) {
    // The message is not shown, as it can contain the URL.
    const code = codeOf(error)
    const isName = code !== undefined && /^[A-Z][A-Z0-9_]*$/.test(code)
    if (isName && UNDECODABLE.test(code)) return fail(`an answer that cannot be decoded: ${code}`, 'never')
    const retry = code !== undefined && ABSENT.has(code) ? 'briefly' : 'later'
    return fail(`the connection failed${isName ? `: ${code}` : ''}`, retry)
  }
}

/** The target of a redirect from loopback to loopback; undefined for any other. */
function redirectOf(from: URL, { header }: HttpResponse): URL | undefined {
  const location = header('location')
  if (location === null || !URL.canParse(location, from.href)) return undefined
  const to = new URL(location, from)
  const isHere = isLoopback(from.hostname) && isLoopback(to.hostname)
  return isHere && /^https?:$/.test(to.protocol) ? to : undefined
}

/** The text of an answer; undefined if it is too long, empty if it is too deep. Read in parts, since a length that is announced can be wrong. */
async function readText(response: HttpResponse): Promise<string | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of response.parts()) {
    length += part.length
    if (length > MAX_BODY) return undefined
    parts.push(part)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return isDeep(bytes) ? '' : new TextDecoder().decode(bytes)
}

/** Whether a JSON text is nested too deeply to be parsed. */
function isDeep(text: Uint8Array): boolean {
  let depth = 0
  let isString = false
  for (let i = 0; i < text.length; i++) {
    const code = text[i]
    if (code === 0x22) isString = !isString
    else if (isString) {
      // A backslash, and what it escapes.
      if (code === 0x5c) i++
    } else if (code === 0x5b || code === 0x7b) {
      depth += 1
      if (depth > MAX_DEPTH) return true
    } else if (code === 0x5d || code === 0x7d) depth -= 1
  }
  return false
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

// One request to an HTTP server and its answer: by `node:http` in Node, elsewhere by `fetch`. Owns nothing.
//
// Node loads what `fetch` needs at its first call, which takes longer than all else at the start of a fork.

/** A request, which is a POST. */
interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal: AbortSignal
}

/** An answer whose body is not read yet. */
export interface HttpResponse {
  readonly status: number
  /** Whether it names another URL. Pages do not see which. */
  readonly isRedirect: boolean
  /** The value of a header, by its name in lower case; null if it is absent. */
  header(name: string): string | null
  /** The body, decompressed, in parts; if it is not read to its end, the connection ends. */
  parts(): AsyncIterable<Uint8Array>
  /** Ends the connection without reading the body. */
  discard(): void
}

/**
 * Posts a text, and follows no redirect.
 *
 * @throws the host's error if no answer comes; it has a `code`, or a `cause` with one, if the host gives any.
 */
export function exchange(url: URL, request: HttpRequest): Promise<HttpResponse> {
  const http = moduleOfNode<NodeHttp>(url.protocol === 'https:' ? 'https' : 'http')
  return http === undefined ? byFetch(url, request) : byNode(http, url, request)
}

async function byFetch(url: URL, request: HttpRequest): Promise<HttpResponse> {
  const response = await fetch(url, { method: 'POST', redirect: 'manual', ...request })
  const { status, type, headers, body } = response
  return {
    status,
    // Browsers hide the status of a redirect.
    isRedirect: type === 'opaqueredirect' || isRedirect(status),
    header: (name) => headers.get(name),
    parts: () => partsOf(body),
    discard: () => void body?.cancel().catch(() => {}),
  }
}

/** Not all browsers can iterate over a stream. */
async function* partsOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (reader === undefined) return
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    await reader.cancel()
  }
}

/** The part of `node:http` that is used. */
interface NodeHttp {
  request(
    url: URL,
    options: { readonly method: 'POST'; readonly headers: object; readonly signal: AbortSignal },
    onResponse: (response: NodeResponse) => void,
  ): {
    readonly reusedSocket: boolean
    on(event: 'error', listener: (error: Error) => void): void
    end(body: Uint8Array): void
  }
}

interface NodeResponse extends AsyncIterable<Uint8Array> {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  destroy(): void
}

function byNode(http: NodeHttp, url: URL, { headers, body, signal }: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: { ...NODE_HEADERS, ...headers }, signal } as const
    const request = http.request(url, options, (response) => {
      const header = (name: string) => {
        const value = response.headers[name]
        return value === undefined ? null : String(value)
      }
      resolve({
        status: response.statusCode,
        isRedirect: isRedirect(response.statusCode),
        header,
        parts: () => decoded(response, header('content-encoding') ?? ''),
        discard: () => response.destroy(),
      })
    })
    request.on('error', (error) => {
      // The server closed a connection that was kept, before it got the request.
      if (request.reusedSocket && codeOf(error) === 'ECONNRESET')
        resolve(byNode(http, url, { headers, body, signal }))
      else reject(error)
    })
    // As bytes: Node would encode the headers as it does a text.
    request.end(new TextEncoder().encode(body))
  })
}

/** Those of Node's `fetch`: some nodes refuse a request without them. */
const NODE_HEADERS = { 'user-agent': 'node', 'accept-encoding': 'gzip, deflate' }

type Parts = AsyncIterable<Uint8Array>

interface NodeStream {
  pipeline(from: Parts, to: Parts, done: () => void): Parts
}

/** The decoders of `node:zlib`. */
interface NodeDecoders {
  createGunzip(): Parts
  createInflate(): Parts
  createInflateRaw(): Parts
  createBrotliDecompress(): Parts
}

/** By content coding (RFC 9110 §8.4.1): the decoder of a body that begins with a byte. */
const DECODERS: Readonly<Record<string, (zlib: NodeDecoders, first: number) => Parts>> = {
  gzip: (zlib) => zlib.createGunzip(),
  'x-gzip': (zlib) => zlib.createGunzip(),
  // Some servers leave out the header of zlib, whose first byte names the method.
  deflate: (zlib, first) => ((first & 0x0f) === 0x08 ? zlib.createInflate() : zlib.createInflateRaw()),
  br: (zlib) => zlib.createBrotliDecompress(),
}

/** A body without its content codings, as `fetch` gives it: unchanged if one of them is unknown, such as `identity`. */
function decoded(body: Parts, contentEncoding: string): Parts {
  const codings = contentEncoding.split(',').map((coding) => coding.trim().toLowerCase())
  const decoders = codings.map((coding) => (Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined))
  // The last one was applied last.
  return decoders.includes(undefined) ? body : decoders.reduceRight((parts, one) => decode(parts, one!), body)
}

async function* decode(body: Parts, toDecoder: (typeof DECODERS)[string]): AsyncGenerator<Uint8Array> {
  const { pipeline } = moduleOfNode<NodeStream>('stream')!
  const zlib = moduleOfNode<NodeDecoders>('zlib')!
  const parts = body[Symbol.asyncIterator]()
  const first = await nextOf(parts)
  if (first.done) return
  const all = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for (let part: IteratorResult<Uint8Array> = first; !part.done; part = await parts.next())
        yield part.value
    } finally {
      await parts.return?.()
    }
  }
  // Its error reaches the reader through the stream.
  yield* pipeline(all(), toDecoder(zlib, first.value[0]!), () => {})
}

/** The next part that is not empty. */
async function nextOf(parts: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  for (;;) {
    const part = await parts.next()
    if (part.done || part.value.length > 0) return part
  }
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400

/** The code of a host's network error. */
export function codeOf(error: unknown): string | undefined {
  const { code, cause } = Object(error) as { readonly code?: unknown; readonly cause?: unknown }
  if (typeof code === 'string') return code
  return cause === undefined ? undefined : codeOf(cause)
}

// The URL and headers of a forked node: checked, and kept out of all texts.

/** The shortest text that is hidden: shorter ones occur by chance. */
const SHORTEST_SECRET = 6

/** Headers that tell nothing about the caller. */
const PUBLIC_HEADERS = ['accept', 'content-type', 'user-agent']

/** A token, and visible characters of Latin-1 with spaces and tabs between them (RFC 9110, sections 5.1 and 5.5). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Where requests are posted. */
interface HttpTarget {
  /** Without credentials, which `fetch` refuses in a URL. */
  readonly url: URL
  /** The URL's scheme, host and port: what errors may name. */
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  /** Replaces secrets in a text of the node's, in upper and lower case. */
  hide(text: string): string
  /** Whether a text has a secret that cannot be part of any hex string, as a chain id in a path can. */
  hasSecret(text: string): boolean
}

/** Secrets of this length are not found in other data by chance. */
const LONG_SECRET = 16

/**
 * Checks a URL and its headers; a user name and a password in the URL become a header.
 *
 * @throws InvalidOptionError, without the URL or the header.
 */
export function resolveTarget(text: string, given: Readonly<Record<string, string>> = {}): HttpTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidOptionError('fork.url', 'a URL that begins with http: or https:')
  }
  const headers: Record<string, string> = { 'content-type': 'application/json', accept: 'application/json' }
  try {
    if (url.username !== '' || url.password !== '') headers['authorization'] = basicAuthorization(url)
  } catch {
    throw invalidHeaders()
  }
  for (const [name, value] of Object.entries(given)) {
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) throw invalidHeaders()
    headers[name.toLowerCase()] = value.trim()
  }
  const secrets = secretsOf(url, headers)
  const all = toPattern(secrets)
  const certain = toPattern(secrets.filter((one) => one.length >= LONG_SECRET || /[^0-9a-f]/i.test(one)))
  url.username = ''
  url.password = ''
  url.hash = ''
  return {
    url,
    origin: url.origin,
    headers,
    hide: (shown) => shown.replace(all, '…'),
    hasSecret: (shown) => shown.search(certain) !== -1,
  }
}

const invalidHeaders = (): InvalidOptionError =>
  new InvalidOptionError('fork.headers', 'names and values that HTTP allows')

/** Alternatives in their order: the longest first; without any, nothing matches. */
function toPattern(secrets: readonly string[]): RegExp {
  if (secrets.length === 0) return /(?!)/g
  return new RegExp(secrets.map((one) => one.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'gi')
}

function basicAuthorization({ username, password }: URL): string {
  const bytes = new TextEncoder().encode(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

/** The parts of a URL and of headers that can be secret, the longest first, as one can contain another. */
function secretsOf(url: URL, headers: Readonly<Record<string, string>>): readonly string[] {
  const inUrl = [
    url.username,
    url.password,
    ...url.pathname.split('/'),
    url.search,
    ...url.searchParams.values(),
  ]
  const inHeaders = Object.entries(headers)
    .filter(([name]) => !PUBLIC_HEADERS.includes(name))
    .flatMap(([, value]) => [value, ...value.split(/[\s,;=]+/)])
  // Also if a header that is given replaces it.
  const basic = url.username === '' && url.password === '' ? [] : basicAuthorization(url).split(/[ =]/)
  const parts = [...inUrl, ...inUrl.map(percentDecoded), ...inHeaders, ...basic.slice(1)]
  const all = [...parts, ...parts.map(encodeURIComponent)].filter((one) => one.length >= SHORTEST_SECRET)
  const inJson = all.map((one) => JSON.stringify(one).slice(1, -1))
  return [...new Set([...all, ...inJson])].sort((a, b) => b.length - a.length)
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
