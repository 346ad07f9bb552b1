/** The URL and headers of a forked node: checked, and kept out of all texts. */
import { InvalidOptionError } from '../../base/errors.ts'

/** The shortest text that is hidden: shorter ones occur by chance. */
const SHORTEST_SECRET = 6

/** Headers that tell nothing about the caller. */
const PUBLIC_HEADERS = ['accept', 'content-type', 'user-agent']

/** A token, and visible characters of Latin-1 with spaces and tabs between them (RFC 9110, sections 5.1 and 5.5). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~\dA-Za-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Where requests are posted. */
export interface HttpTarget {
  /** Without credentials, which `fetch` refuses in a URL. */
  readonly url: URL
  /** The URL's scheme, host and port: what errors may name. */
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  /** Replaces secrets in a text of the node's, in upper and lower case. */
  hide(text: string): string
}

/** Secrets of this length are not found in other data by chance. */
const LONG_SECRET = 16

/**
 * Checks a URL and its headers; a user name and a password in the URL become a header.
 *
 * @throws InvalidOptionError, without the URL or the header.
 */
export function resolveTarget(text: string, given?: Readonly<Record<string, string>>): HttpTarget {
  const { url, headers } = parseTarget(text, given)
  const secrets = secretsOf(url, headers)
  const pattern = secrets.length === 0 ? undefined : toPattern(secrets)
  url.username = ''
  url.password = ''
  url.hash = ''
  return {
    url,
    origin: url.origin,
    headers,
    hide: (shown) => (pattern === undefined ? shown : shown.replace(pattern, '…')),
  }
}

/** The URL with all its parts, and all headers. @throws InvalidOptionError */
function parseTarget(
  text: string,
  given: Readonly<Record<string, string>> = {},
): { readonly url: URL; readonly headers: Record<string, string> } {
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
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
      throw invalidHeaders()
    }
    headers[name.toLowerCase()] = value.trim()
  }
  return { url, headers }
}

const invalidHeaders = (): InvalidOptionError =>
  new InvalidOptionError('fork.headers', 'names and values that HTTP allows')

/**
 * A function that finds secrets of a URL and its headers in a text. Those that can be part of any hex string, such as a
 * chain id in a path, are not looked for.
 */
export function secretFinder(
  text: string,
  given?: Readonly<Record<string, string>>,
): (text: string) => boolean {
  const { url, headers } = parseTarget(text, given)
  const secrets = secretsOf(url, headers).filter((one) => one.length >= LONG_SECRET || /[^0-9a-f]/i.test(one))
  if (secrets.length === 0) return () => false
  const pattern = toPattern(secrets)
  return (shown) => shown.search(pattern) !== -1
}

/** Alternatives in their order: the longest first. */
function toPattern(secrets: readonly string[]): RegExp {
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
  const parts = [...inUrl, ...inUrl.map(decoded), ...inHeaders, ...basic.slice(1)]
  const all = [...parts, ...parts.map(encodeURIComponent)].filter((one) => one.length >= SHORTEST_SECRET)
  const inJson = all.map((one) => JSON.stringify(one).slice(1, -1))
  return [...new Set([...all, ...inJson])].sort((a, b) => b.length - a.length)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
