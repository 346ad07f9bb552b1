/**
 * JSON-RPC over HTTP, apart from how a host hands over requests: the method, the headers and the body in, status,
 * headers and body out. Owns nothing.
 */
import type { RpcError } from '../primitives/errors.ts'
import { type Access, isHostAllowed, isOriginAllowed } from './access.ts'
import { answerMessage, encodeFailure, type Requester } from './envelope.ts'
import {
  BodyTooLargeError,
  ContentTypeError,
  HostRefusedError,
  HttpMethodError,
  OriginRefusedError,
  ParseError,
  SubscriptionsUnsupportedError,
} from './errors.ts'
import { limitInFlight } from './inFlight.ts'
import type { HttpRules } from './options.ts'

/** A request, of whatever host. */
export interface HttpRequest {
  readonly method: string
  /** A header by its name in lower case; null if it is absent. */
  header(name: string): string | null
  /** The host that the request was addressed to, with its port. */
  readonly host: string | null
  /** Reads the body; undefined as soon as it is longer than `limit` bytes, when the rest is left. */
  read(limit: number): Promise<Uint8Array | undefined>
}

/** What it is answered with. */
export interface HttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/**
 * Answers a request by a requester that {@link toHttpRequester} made. A request that ends before its body does is
 * answered as one that is no JSON.
 */
export async function respond(
  request: HttpRequest,
  requester: Requester,
  rules: HttpRules,
): Promise<HttpResponse> {
  const refused = refuse(request, rules)
  if (refused !== undefined) return refused
  const headers = corsHeaders(request, rules)
  const fail = (status: number, error: RpcError, more: Headers = {}): HttpResponse => ({
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
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return fail(200, new ParseError())
  }
  const answer = await answerMessage(text, requester, rules)
  if (answer === undefined) return { status: 204, headers, body: null }
  return { status: 200, headers: { ...headers, ...JSON_TYPE }, body: answer }
}

/** The refusal of a request whose host or origin is not allowed, to be upgraded or not; undefined if both are. */
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

type Headers = Readonly<Record<string, string>>

const JSON_TYPE: Headers = { 'Content-Type': 'application/json' }
const METHODS = 'POST, OPTIONS'

/** What go-ethereum takes as well; a page elsewhere cannot send any of them without asking first. */
function isJson(contentType: string | null): boolean {
  const type = contentType?.split(';')[0]?.trim().toLowerCase()
  return type === 'application/json' || type === 'application/json-rpc' || type === 'application/jsonrequest'
}

/** For an origin that was let in. */
function corsHeaders(request: HttpRequest, { origins }: Access): Headers {
  if (origins === '*') return { 'Access-Control-Allow-Origin': '*' }
  const origin = request.header('origin')
  // Caches keep the answers to different pages apart, those to none included.
  return { Vary: 'Origin', ...(origin !== null && { 'Access-Control-Allow-Origin': origin }) }
}

function preflightHeaders(request: HttpRequest): Headers {
  const asked = request.header('access-control-request-headers')
  return {
    Allow: METHODS,
    'Access-Control-Allow-Methods': METHODS,
    'Access-Control-Allow-Headers': asked ?? 'Content-Type',
    // As long as go-ethereum lets browsers remember it, in seconds.
    'Access-Control-Max-Age': '600',
    // Chrome asks before a page of a public site reaches this machine; whether it may has been decided above.
    ...(request.header('access-control-request-private-network') === 'true' && {
      'Access-Control-Allow-Private-Network': 'true',
    }),
  }
}

/**
 * What all HTTP requests to one server are put to, as if they were one connection: a provider without subscriptions,
 * since HTTP cannot push, and with at most `maxInFlight` requests in flight.
 */
export function toHttpRequester(provider: Requester, { maxInFlight }: HttpRules): Requester {
  const limited = limitInFlight(provider, maxInFlight)
  return {
    async request(args) {
      if (args.method === 'eth_subscribe' || args.method === 'eth_unsubscribe') {
        throw new SubscriptionsUnsupportedError()
      }
      return limited.request(args)
    },
  }
}
