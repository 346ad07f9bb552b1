/**
 * Sends requests to a forked node over HTTP, in batches if the node accepts them.
 *
 * Owns: request ids, and the learned maximum size of batches. Checks every answer: status, size, JSON, ids, and the
 * completeness of batches. Errors never contain headers, nor more of the URL than its origin.
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

/** Statuses below 500 after which a retry may succeed. */
const TEMPORARY = [408, 425]

/** Statuses that refuse the caller: a smaller batch would be refused too. */
const DENIED = [401, 402, 403, 407]

const TOO_MANY_REQUESTS = 429

/** go-ethereum's error code for requests of a batch whose answers do not fit into the response. */
const RESPONSE_TOO_LARGE = -32003

/** See the file's header. */
export class HttpRoute implements Route {
  readonly place: string
  readonly hasSecret: Route['hasSecret']
  batch: number
  readonly #target: HttpTarget
  readonly #clock: Clock
  #nextId = 1

  /** @throws InvalidOptionError for an unusable URL or header */
  constructor(url: string, headers: HeaderValues | undefined, batch: number, clock: Clock) {
    const target = resolveTarget(url, headers)
    this.place = target.origin
    this.hasSecret = target.hasSecret
    this.batch = batch
    this.#target = target
    this.#clock = clock
  }

  async send(questions: readonly Question[], signal: AbortSignal): Promise<readonly Outcome[]> {
    const requests = questions.map(({ method, params }) => {
      return { jsonrpc: '2.0', id: this.#nextId++, method, params }
    })
    const ids = requests.map(({ id }) => id)
    const isBatch = requests.length > 1
    const reply = await post(this.#target, JSON.stringify(isBatch ? requests : requests[0]), signal)
    if ('kind' in reply) return ids.map(() => reply)
    const outcomes = isBatch ? this.#readBatch(reply, ids) : this.#readSingle(reply, ids[0]!)
    return Array.isArray(outcomes) ? outcomes : ids.map(() => outcomes as Outcome)
  }

  #readSingle(reply: HttpReply, id: number): Outcome {
    const { body, status } = reply
    if (status === TOO_MANY_REQUESTS) return this.#failureOf(reply)
    if (isObject(body) && body['id'] === id) return this.#read(body, reply)
    // A node that cannot read or authorize a request answers without an id.
    const isNameless = isObject(body) && (body['id'] ?? null) === null && isObject(body['error'])
    if (isNameless && (status < 500 || status >= 600)) return this.#read(body, reply)
    return isSuccess(status) ? invalidBody(body, "an answer with the request's id") : this.#failureOf(reply)
  }

  /** Returns an outcome per request, or one for all. */
  #readBatch(reply: HttpReply, ids: readonly number[]): Outcome | readonly Outcome[] {
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
      if (outcome.kind !== 'error' || outcome.error.code !== RESPONSE_TOO_LARGE) return outcome
      return /too large/i.test(outcome.error.message) ? this.#refused(undefined, ids.length, true) : outcome
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

  /** Lowers the maximum size of batches: to half of the refused batch if that was too long, else to 1. */
  #refused(
    body: unknown,
    length: number,
    isTooLong = /large|limit|exceed|size|max/i.test(textOf(body)),
  ): Outcome {
    this.batch = Math.min(this.batch, isTooLong ? Math.max(1, length >> 1) : 1)
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

  /** Converts the header `Retry-After`, a number of seconds or a date, to milliseconds from now. */
  #waitOf({ retryAfter }: HttpReply): number | undefined {
    if (retryAfter === null) return undefined
    const isSeconds = /^\d+$/.test(retryAfter)
    const wait = isSeconds ? Number(retryAfter) * 1000 : readDate(retryAfter) - this.#clock.now()
    return wait > 0 ? wait : undefined
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

function invalidBody(body: unknown, expected: string): Outcome {
  return { kind: 'invalid', expected: body === undefined ? 'JSON' : expected }
}

function textOf(body: unknown): string {
  const error = isObject(body) ? body['error'] : undefined
  return isObject(error) && typeof error['message'] === 'string' ? error['message'] : ''
}

/** How many bytes an answer may have after decompression. */
const MAX_BODY = 2 ** 26

/** How deeply objects and arrays may be nested. Deeper JSON takes many times as long to parse as flat JSON. */
const MAX_DEPTH = 10_000

/** How many redirects in a row are followed. Redirects are followed only from loopback to loopback. */
const MAX_REDIRECTS = 5

/** Connection errors that mean that no host or process was found. */
const ABSENT: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND'])

/** Error codes of zlib and brotli for bytes in a different format. Excludes Z_BUF_ERROR, a truncated body. */
const UNDECODABLE = /^(Z_(?!BUF_ERROR)|ERR__ERROR_FORMAT|ERR_PADDING)/

interface HttpReply {
  readonly status: number
  readonly retryAfter: string | null
  /** Undefined if the body is not JSON. */
  readonly body: unknown
}

/** Posts a request. Never rejects: a failure tells why there is no answer. */
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
    // The message is not shown: it can contain the URL.
    const code = codeOf(error)
    const isName = code !== undefined && /^[A-Z][A-Z0-9_]*$/.test(code)
    if (isName && UNDECODABLE.test(code)) return fail(`an answer that cannot be decoded: ${code}`, 'never')
    const retry = code !== undefined && ABSENT.has(code) ? 'briefly' : 'later'
    return fail(`the connection failed${isName ? `: ${code}` : ''}`, retry)
  }
}

/** Returns the target of a redirect from loopback to loopback. */
function redirectOf(from: URL, { header }: HttpResponse): URL | undefined {
  const location = header('location')
  if (location === null || !URL.canParse(location, from.href)) return undefined
  const to = new URL(location, from)
  const isHere = isLoopback(from.hostname) && isLoopback(to.hostname)
  return isHere && /^https?:$/.test(to.protocol) ? to : undefined
}

/**
 * Reads the text of an answer. Returns undefined if the answer is too long, and an empty text if its JSON is nested too
 * deeply. Ignores `Content-Length`, which can be wrong.
 */
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

/** Whether JSON exceeds {@link MAX_DEPTH}, without parsing it. */
function isDeep(text: Uint8Array): boolean {
  let depth = 0
  let isString = false
  for (let i = 0; i < text.length; i++) {
    const code = text[i]
    if (code === 0x22) isString = !isString
    else if (isString) {
      // Skips the escaped character.
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

// One HTTP exchange, by `node:http` in Node and by `fetch` elsewhere. In Node, the first call of `fetch` loads its
// modules, which takes longer than the rest of a fork's start.

interface HttpRequest {
  readonly headers: HeaderValues
  readonly body: string
  readonly signal: AbortSignal
}

/** An answer before its body is read. */
export interface HttpResponse {
  readonly status: number
  readonly isRedirect: boolean
  /** Returns the value of a header; null if it is absent. @param name - in lower case. */
  header(name: string): string | null
  /** Iterates over the decompressed body. Stopping early closes the connection. */
  parts(): AsyncIterable<Uint8Array>
  /** Closes the connection without reading the body. */
  discard(): void
}

/** Posts a request, and follows no redirect. @throws the runtime's network error, which may have a `code`; {@link codeOf} */
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

/** Iterates over a stream with a reader, since not all browsers can iterate over streams directly. */
async function* partsOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  if (reader === undefined) return
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    await reader.cancel()
  }
}

/** The part of `node:http` that is used here. */
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
      const header = (name: string) => response.headers[name]?.toString() ?? null
      resolve({
        status: response.statusCode,
        isRedirect: isRedirect(response.statusCode),
        header,
        parts: () => decoded(response, header('content-encoding') ?? ''),
        discard: () => response.destroy(),
      })
    })
    request.on('error', (error) => {
      // The server closed the reused connection before it received the request, so the request is sent again.
      const isStale = request.reusedSocket && codeOf(error) === 'ECONNRESET'
      if (isStale) resolve(byNode(http, url, { headers, body, signal }))
      else reject(error)
    })
    // Sent as bytes: with a text, Node would encode the headers as UTF-8 too, in place of Latin-1.
    request.end(new TextEncoder().encode(body))
  })
}

/** Headers that Node's `fetch` sends too. Some forked nodes refuse requests without them. */
const NODE_HEADERS = { 'user-agent': 'node', 'accept-encoding': 'gzip, deflate' }

type Parts = AsyncIterable<Uint8Array>

interface NodeStream {
  pipeline(from: Parts, to: Parts, done: () => void): Parts
}

/** The part of `node:zlib` that is used here. */
interface NodeDecoders {
  createGunzip(): Parts
  createInflate(): Parts
  createInflateRaw(): Parts
  createBrotliDecompress(): Parts
}

/** Decoders by content coding (RFC 9110 §8.4.1), given the first byte of the body. */
const DECODERS: Readonly<Record<string, (zlib: NodeDecoders, first: number) => Parts>> = {
  gzip: (zlib) => zlib.createGunzip(),
  'x-gzip': (zlib) => zlib.createGunzip(),
  // Some servers omit the zlib header, whose first byte names the method.
  deflate: (zlib, first) => ((first & 0x0f) === 0x08 ? zlib.createInflate() : zlib.createInflateRaw()),
  br: (zlib) => zlib.createBrotliDecompress(),
}

/** Decodes a body like `fetch`. Returns it unchanged if any coding is unknown. */
function decoded(body: Parts, contentEncoding: string): Parts {
  const codings = contentEncoding.split(',').map((coding) => coding.trim().toLowerCase())
  const decoders = codings.map((coding) => (Object.hasOwn(DECODERS, coding) ? DECODERS[coding] : undefined))
  // Codings are listed in the order of application.
  return decoders.includes(undefined) ? body : decoders.reduceRight((parts, one) => decode(parts, one!), body)
}

async function* decode(body: Parts, toDecoder: (typeof DECODERS)[string]): AsyncGenerator<Uint8Array> {
  const { pipeline } = moduleOfNode<NodeStream>('stream')!
  const zlib = moduleOfNode<NodeDecoders>('zlib')!
  const parts = body[Symbol.asyncIterator]()
  let part = await parts.next()
  while (!part.done && part.value.length === 0) part = await parts.next()
  if (part.done) return
  const all = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for (; !part.done; part = await parts.next()) yield part.value
    } finally {
      await parts.return?.()
    }
  }
  // The callback does nothing, since the reader of the stream gets its errors.
  yield* pipeline(all(), toDecoder(zlib, part.value[0]!), () => {})
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400

/** Returns the code of a network error, or of the first of its causes that has one. */
export function codeOf(error: unknown): string | undefined {
  const { code, cause } = Object(error) as { readonly code?: unknown; readonly cause?: unknown }
  if (typeof code === 'string') return code
  return cause === undefined ? undefined : codeOf(cause)
}

/** How many characters a secret must have to be hidden. Shorter texts occur by chance. */
const SHORTEST_SECRET = 6

/** Headers without secrets. */
const PUBLIC_HEADERS = ['accept', 'content-type', 'user-agent']

// RFC 9110 §5.1, §5.5.
const HEADER_NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

type HeaderValues = Readonly<Record<string, string>>

/** The URL and headers of a forked node, with functions that find and hide their secrets in texts. */
type HttpTarget = ReturnType<typeof resolveTarget>

/** How many hex digits a secret must have so that it does not occur in data by chance. */
const LONG_SECRET = 16

/** Checks a URL and its headers, and moves a user name and password to a header. Its errors quote no part of either. */
function resolveTarget(text: string, given: HeaderValues = {}) {
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
    /** Without credentials, which `fetch` refuses. */
    url,
    /** Scheme, host and port, which errors may show. */
    origin: url.origin,
    headers,
    /** Replaces secrets in a text from the node, ignoring case. */
    hide: (shown: string) => shown.replace(all, '…'),
    /** Whether a text contains a secret. Ignores short secrets of hex digits, which any data can contain. */
    hasSecret: (shown: string) => shown.search(certain) !== -1,
  }
}

const invalidHeaders = (): InvalidOptionError =>
  new InvalidOptionError('fork.headers', 'names and values that HTTP allows')

/** Returns a pattern that matches any of the secrets, tried in order. Without secrets, it matches nothing. */
function toPattern(secrets: readonly string[]): RegExp {
  if (secrets.length === 0) return /(?!)/g
  return new RegExp(secrets.map((one) => one.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'gi')
}

function basicAuthorization({ username, password }: URL): string {
  const bytes = new TextEncoder().encode(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`)
  return `Basic ${btoa(String.fromCharCode(...bytes))}`
}

/** Returns the secret parts of a URL and headers, longest first, since one may contain another. */
function secretsOf(url: URL, headers: HeaderValues): readonly string[] {
  const { username, password, pathname, search, searchParams } = url
  const inUrl = [username, password, ...pathname.split('/'), search, ...searchParams.values()]
  const inHeaders = Object.entries(headers)
    .filter(([name]) => !PUBLIC_HEADERS.includes(name))
    .flatMap(([, value]) => [value, ...value.split(/[\s,;=]+/)])
  // The URL's credentials stay secret even if a given header replaces them.
  const basic = username === '' && password === '' ? [] : basicAuthorization(url).split(/[ =]/)
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
