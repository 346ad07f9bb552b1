/** JSON-RPC over HTTP for any host, and the handler for the Fetch API. Owns nothing. */

import type { PresealRpcError } from '../../base/errors.ts'
import { isLoopback } from '../../base/loopback.ts'
import { parseOptions } from '../../base/options/option.ts'
import { createClosing, reportTo, withClient } from '../../rpc/services.ts'
import type { GetCaller } from './access.ts'
import { answerMessage, encodeFailure, type Requester } from './envelope.ts'
import {
  BodyTooLargeError,
  ContentTypeError,
  HostRefusedError,
  HttpMethodError,
  OriginRefusedError,
  ParseError,
  RateLimitError,
  SubscriptionsUnsupportedError,
} from './errors.ts'
import { HANDLER_OPTIONS, type HandlerOptions, type HttpRules } from './options.ts'
import { type Admit, limitRate } from './rate.ts'
import { type LimitedRequester, limitRequests } from './requester.ts'

/**
 * Creates an HTTP handler that serves JSON-RPC 2.0 (spec.md §4.1) from a provider, for any host with the Fetch API: service
 * workers, Bun, Deno, Hono, MSW. The host chooses the path.
 *
 * Accepts POST with `Content-Type: application/json` and the types that go-ethereum accepts. Answers with status 200, also
 * for JSON-RPC errors, or 204 if no request of the message has an `id`. Answers preflights (OPTIONS) with 204, all other
 * HTTP methods with 405, all other content types with 415, bodies above `maxBodyBytes` with 413, and requests that
 * `hosts` or `origins` do not allow with 403. Subscriptions need {@link createConnection}. The handler never rejects.
 *
 * @param provider - any EIP-1193 provider; when closed, a provider of preseal answers with 4900.
 * @throws InvalidOptionError
 * @example
 * Bun.serve({ hostname: '127.0.0.1', port: 8545, fetch: createHandler(chain.standard) })
 */
export function createHandler(
  provider: Requester,
  options?: HandlerOptions,
): (request: Request) => Promise<Response> {
  const rules: HttpRules = parseOptions(HANDLER_OPTIONS, options)
  const requester = toHttpRequester(provider, rules)
  const admit = limitRate(rules, (thrown) => reportTo(provider, thrown))
  return async (request) => {
    const { status, headers, body } = await respond(toHttpRequest(request), requester, rules, admit)
    return new Response(body, { status, headers })
  }
}

function toHttpRequest(request: Request): HttpRequest {
  const { headers, method } = request
  return {
    method,
    header: (name) => headers.get(name),
    // Some hosts drop the header; the URL has the same host.
    host: headers.get('host') ?? new URL(request.url).host,
    read: (limit) => readBody(request, limit),
    caller: () => ({ headers, remoteAddress: undefined }),
    onClose: (fn) => request.signal?.addEventListener('abort', fn),
  }
}

async function readBody({ body }: Request, limit: number): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return joined(chunks, length)
    length += value.byteLength
    if (length > limit) {
      // Ignores the rest, even if it cannot be cancelled.
      reader.cancel().catch(() => {})
      return undefined
    }
    chunks.push(value)
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** An HTTP request of any host. */
export interface HttpRequest {
  readonly method: string
  /** Returns a header by its lowercase name; null if absent. */
  header(name: string): string | null
  /** The host that the client addressed, with its port. */
  readonly host: string | null
  /** Reads the body. Resolves to undefined as soon as it exceeds `limit` bytes. */
  read(limit: number): Promise<Uint8Array | undefined>
  readonly caller: GetCaller
  /** Calls `fn` when the client disconnects; some hosts also call it after the response. */
  onClose?(fn: () => void): void
}

/** The response, for any host. `body` is null for a status without one, such as 204. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

const createDecoder = () => new TextDecoder('utf-8', { fatal: true })
/** Kept, as creating a decoder takes longer than decoding most bodies. */
let decoder = createDecoder()

/** Answers a request. An aborted body gets the same error as invalid JSON. */
export async function respond(
  request: HttpRequest,
  requester: LimitedRequester,
  rules: HttpRules,
  admit: Admit | undefined,
): Promise<HttpResponse> {
  const refused = refuse(request, rules)
  if (refused !== undefined) return refused
  const headers = corsHeaders(request, rules)
  const fail = (status: number, error: PresealRpcError, more: Headers = {}): HttpResponse => ({
    status,
    headers: { ...headers, ...more, ...JSON_TYPE },
    body: encodeFailure(error),
  })

  if (request.method === 'OPTIONS') {
    return { status: 204, headers: { ...headers, ...preflightHeaders(request) }, body: null }
  }
  if (request.method !== 'POST') return fail(405, new HttpMethodError(), { Allow: METHODS })
  if (!isJson(request.header('content-type'))) return fail(415, new ContentTypeError())
  const { maxBodyBytes } = rules
  const tooLarge = () => fail(413, new BodyTooLargeError(maxBodyBytes))
  if (Number(request.header('content-length')) > maxBodyBytes) return tooLarge()
  let text: string
  try {
    const bytes = await request.read(maxBodyBytes)
    if (bytes === undefined) return tooLarge()
    text = decoder.decode(bytes)
  } catch {
    // A decoder that has failed may keep part of the bytes.
    decoder = createDecoder()
    return fail(200, new ParseError())
  }
  const client = createClosing()
  request.onClose?.(client.close)
  const { caller } = request
  const own: Requester = { request: (args) => requester.request(withClient(args, client), caller) }
  let refusal: PresealRpcError | undefined
  const admitOwn = (requests: number): PresealRpcError | undefined => {
    refusal = admit?.(requests, caller)
    return refusal
  }
  const answer = await answerMessage(text, rules.observe?.(own) ?? own, rules, admitOwn).finally(client.close)
  if (refusal instanceof RateLimitError) {
    const wait = { 'Retry-After': `${refusal.retryAfter}`, 'Access-Control-Expose-Headers': 'Retry-After' }
    const response = fail(429, refusal, wait)
    return { ...response, body: answer ?? response.body }
  }
  if (answer === undefined) return { status: 204, headers, body: null }
  return { status: 200, headers: { ...headers, ...JSON_TYPE }, body: answer }
}

/** Returns the refusal of a request or an upgrade whose host or origin is not allowed; undefined if both are. */
export function refuse(
  request: Pick<HttpRequest, 'header' | 'host'>,
  access: Access,
): HttpResponse | undefined {
  const error = !isHostAllowed(request.host, access)
    ? new HostRefusedError()
    : !isOriginAllowed(request.header('origin'), access)
      ? new OriginRefusedError()
      : undefined
  return error && { status: 403, headers: JSON_TYPE, body: encodeFailure(error) }
}

type Headers = HttpResponse['headers']

const JSON_TYPE: Headers = { 'Content-Type': 'application/json' }
const METHODS = 'POST, OPTIONS'

/** Accepts the types of go-ethereum; pages of foreign origins can send them only after a preflight. */
function isJson(contentType: string | null): boolean {
  const type = contentType?.split(';')[0]?.trim().toLowerCase()
  return type === 'application/json' || type === 'application/json-rpc' || type === 'application/jsonrequest'
}

function corsHeaders(request: HttpRequest, { origins }: Access): Headers {
  if (origins === '*') return { 'Access-Control-Allow-Origin': '*' }
  const origin = request.header('origin')
  // For caches: the answer depends on the origin, also if there is none.
  return { Vary: 'Origin', ...(origin !== null && { 'Access-Control-Allow-Origin': origin }) }
}

function preflightHeaders(request: HttpRequest): Headers {
  const requested = request.header('access-control-request-headers')
  return {
    Allow: METHODS,
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': requested ?? 'Content-Type',
    // Seconds, as in go-ethereum.
    'Access-Control-Max-Age': '600',
    // Chrome asks for this before a public page may reach this machine; `refuse` has already checked the origin.
    ...(request.header('access-control-request-private-network') === 'true' && {
      'Access-Control-Allow-Private-Network': 'true',
    }),
  }
}

/** Creates the requester of all HTTP requests to one server, which share `maxInFlight`. Refuses subscriptions. */
export function toHttpRequester(provider: Requester, rules: HttpRules): LimitedRequester {
  const limited = limitRequests(provider, rules)
  return {
    request: (args, caller) =>
      args.method === 'eth_subscribe' || args.method === 'eth_unsubscribe'
        ? Promise.reject(new SubscriptionsUnsupportedError())
        : limited.request(args, caller),
  }
}

// The checks of `Host` and `Origin` keep remote pages from reaching a server on loopback, even by DNS rebinding.

type Access = Pick<HttpRules, 'hosts' | 'origins'>

function isHostAllowed(host: string | null, { hosts }: Access): boolean {
  if (hosts === '*') return true
  const name = /^(\[[\da-f:.]+\]|[^[\]:@/?#\s]+)(?::\d*)?$/i.exec(host ?? '')?.[1]?.toLowerCase()
  return name !== undefined && (isLoopback(name) || hosts.some((allowed) => allowed.toLowerCase() === name))
}

/** Allows requests without `Origin`, as no page sends them; by default also pages on loopback, and extensions. */
function isOriginAllowed(origin: string | null, { origins }: Access): boolean {
  if (origin === null || origins === '*') return true
  if (origins !== undefined) return origins.includes(origin)
  if (!URL.canParse(origin)) return false
  const { hostname, protocol } = new URL(origin)
  return isLoopback(hostname) || EXTENSIONS.includes(protocol)
}

const EXTENSIONS = ['chrome-extension:', 'moz-extension:', 'safari-web-extension:']
