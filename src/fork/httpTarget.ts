/** The URL and headers of a forked node: checked, and kept out of all texts. */
import { InvalidOptionError } from '../primitives/errors.ts'

/** The shortest text that is hidden: shorter ones occur by chance. */
const SHORTEST_SECRET = 6

/** Headers that tell nothing about the caller. */
const PUBLIC_HEADERS = ['accept', 'content-type', 'user-agent']

/** Where requests are posted. */
export interface HttpTarget {
  /** Without credentials, which `fetch` refuses in a URL. */
  readonly url: URL
  /** The URL's scheme, host and port: what errors may name. */
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  /** Replaces secrets in a text of the node's. */
  hide(text: string): string
}

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
    // The host's own check: it knows which names and values `fetch` accepts.
    new Headers(given).forEach((value, name) => {
      headers[name] = value
    })
  } catch {
    throw new InvalidOptionError('fork.headers', 'names and values that HTTP allows')
  }
  const secrets = secretsOf(url, headers)
  url.username = ''
  url.password = ''
  url.hash = ''
  return {
    url,
    origin: url.origin,
    headers,
    hide: (shown) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), shown),
  }
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
  const all = [...inUrl, ...inUrl.map(decoded), ...inHeaders].filter((one) => one.length >= SHORTEST_SECRET)
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
