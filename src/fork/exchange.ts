/**
 * One request to an HTTP server and its answer: by `node:http` in Node, elsewhere by `fetch`. Owns nothing.
 *
 * Node loads what `fetch` needs at its first call, which takes longer than all else at the start of a fork.
 */
import { moduleOfNode } from '../primitives/nodeModule.ts'

/** A request, which is a POST. */
export interface HttpRequest {
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
        parts: () => (header('content-encoding') === null ? response : decompressed(response)),
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

interface NodeStream {
  pipeline(from: NodeResponse, to: AsyncIterable<Uint8Array>, done: () => void): AsyncIterable<Uint8Array>
}

function decompressed(response: NodeResponse): AsyncIterable<Uint8Array> {
  const { pipeline } = moduleOfNode<NodeStream>('stream')!
  const { createUnzip } = moduleOfNode<{ createUnzip(): AsyncIterable<Uint8Array> }>('zlib')!
  // Its error reaches the reader through the stream.
  return pipeline(response, createUnzip(), () => {})
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400

/** The code of a host's network error. */
export function codeOf(error: unknown): string | undefined {
  const { code, cause } = Object(error) as { readonly code?: unknown; readonly cause?: unknown }
  if (typeof code === 'string') return code
  return cause === undefined ? undefined : codeOf(cause)
}
