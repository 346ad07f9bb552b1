/** One HTTP request: no redirect to another host, and an answer of limited size. */
import { isLoopback } from '../../base/loopback.ts'
import { TripError } from './errors.ts'
import { codeOf, exchange, type HttpResponse } from './exchange.ts'
import type { HttpTarget } from './httpTarget.ts'
import type { Failure } from './trip.ts'

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
export interface HttpReply {
  readonly status: number
  readonly retryAfter: string | null
  /** The JSON; undefined if it is none. */
  readonly body: unknown
}

/** Posts a text. Never rejects: a failure says why there is no answer. */
export async function post(
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
      const next = nextOf(target, response)
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
function nextOf(from: URL, { header }: HttpResponse): URL | undefined {
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
