/**
 * Access to a server: the checks of `Host` and `Origin` that keep remote pages from reaching a server on
 * loopback, even by DNS rebinding. Owns nothing.
 */
import { isLoopback } from '../../base/loopback.ts'

/** Host names that requests may be addressed to, and origins that they may come from; '*' for any. */
export interface Access {
  /** Host names without port, in addition to those of loopback. */
  readonly hosts: readonly string[] | '*'
  /** Origins such as `https://app.example`. Undefined: pages on loopback, and browser extensions. */
  readonly origins: readonly string[] | '*' | undefined
}

/** Whether a request may be addressed to this `Host`. */
export function isHostAllowed(host: string | null, { hosts }: Access): boolean {
  if (hosts === '*') return true
  const name = /^(\[[\da-f:.]+\]|[^[\]:@/?#\s]+)(?::\d*)?$/i.exec(host ?? '')?.[1]?.toLowerCase()
  return name !== undefined && (isLoopback(name) || hosts.some((allowed) => allowed.toLowerCase() === name))
}

/**
 * Whether a request may come with this `Origin`. Clients that are not browsers send none. By default browser extensions
 * are allowed, since wallets are extensions, and no page can send their origin.
 */
export function isOriginAllowed(origin: string | null, { origins }: Access): boolean {
  if (origin === null || origins === '*') return true
  if (origins !== undefined) return origins.includes(origin)
  if (!URL.canParse(origin)) return false
  const { hostname, protocol } = new URL(origin)
  return isLoopback(hostname) || EXTENSIONS.includes(protocol)
}

const EXTENSIONS = ['chrome-extension:', 'moz-extension:', 'safari-web-extension:']
