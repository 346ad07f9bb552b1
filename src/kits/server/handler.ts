/** The Web-standard handler: `Request` in, `Response` out. Owns nothing. */
import type { Requester } from './envelope.ts'
import { type HttpRequest, respond, toHttpRequester } from './http.ts'
import { type HandlerOptions, resolveHandlerOptions } from './options.ts'

/**
 * Creates a handler of HTTP requests with JSON-RPC 2.0 (spec.md §4.1) for a provider: for service workers, Bun, Deno,
 * Hono, MSW and any other host with the Fetch API. The host decides which path it serves.
 *
 * It accepts POST with `Content-Type: application/json`, or another type that go-ethereum accepts, and answers with
 * status 200, even for a JSON-RPC error, or with 204 if no request of the message has an `id`. Preflights (OPTIONS) get
 * 204, other methods 405, other types 415, bodies above `maxBodyBytes` 413, and requests that `hosts` or `origins` do
 * not allow 403. Subscriptions need a connection: {@link createConnection}. The handler never rejects.
 *
 * @param provider - any EIP-1193 provider; a closed one of preseal answers with 4900.
 * @throws InvalidOptionError
 * @example
 * Bun.serve({ hostname: '127.0.0.1', port: 8545, fetch: createHandler(chain.standard) })
 */
export function createHandler(
  provider: Requester,
  options?: HandlerOptions,
): (request: Request) => Promise<Response> {
  const rules = resolveHandlerOptions(options)
  const requester = toHttpRequester(provider, rules)
  return async (request) => {
    const { status, headers, body } = await respond(toHttpRequest(request), requester, rules)
    return new Response(body, { status, headers })
  }
}

function toHttpRequest(request: Request): HttpRequest {
  const { headers, method } = request
  return {
    method,
    header: (name) => headers.get(name),
    // Some hosts do not pass the header on; their URL has the same host.
    host: headers.get('host') ?? new URL(request.url).host,
    read: (limit) => readBody(request, limit),
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
    if (done) return concat(chunks, length)
    length += value.byteLength
    if (length > limit) {
      // The rest is not read, even if it cannot be cancelled.
      reader.cancel().catch(() => {})
      return undefined
    }
    chunks.push(value)
  }
}

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const all = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.byteLength
  }
  return all
}
