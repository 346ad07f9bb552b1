/**
 * One request to an HTTP server and its answer: by `node:http` in Node, elsewhere by `fetch`. Owns nothing.
 *
 * Node loads what `fetch` needs at its first call, which takes longer than all else at the start of a fork.
 */
import { moduleOfNode } from '../../base/nodeModule.ts'

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
