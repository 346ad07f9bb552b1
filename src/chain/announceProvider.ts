/** Announces providers (EIP-6963), so that wagmi, RainbowKit and similar wallet libraries find a chain. */

import { bytesToHex } from '../base/bytes.ts'
import { check } from '../base/options/option.ts'
import type { Provider } from '../rpc/provider.ts'

/** A provider's description for apps and users (EIP-6963). */
export interface ProviderInfo {
  /** A version 4 UUID; default: a new one per call of {@link announceProvider}. */
  readonly uuid: string
  /** The name shown to users; default: 'preseal'. */
  readonly name: string
  /** A square image as a data URI; default: preseal's icon. */
  readonly icon: string
  /** A reverse domain name by which apps distinguish and remember providers; default: 'localhost.preseal'. */
  readonly rdns: string
}

/** A type of `window` with the members in use, since projects for Node alone have no DOM types. */
export interface AnnouncementTarget {
  addEventListener(type: string, listener: () => void): void
  removeEventListener(type: string, listener: () => void): void
  dispatchEvent(event: object): boolean
  readonly CustomEvent?: new (type: string, init: { readonly detail: unknown }) => object
}

/** Options of {@link announceProvider}. */
export interface AnnounceOptions {
  /** The window to announce in; default: the global `window`. */
  readonly window?: AnnouncementTarget | undefined
  /** Fields of the provider's info that differ from the defaults. */
  readonly info?: Partial<ProviderInfo> | undefined
}

/**
 * Announces a provider to the page (EIP-6963): immediately, and each time the page asks for providers, until the
 * provider closes. A closed provider is not announced.
 *
 * Apps distinguish providers by `rdns`, so each provider of a page needs a different one.
 *
 * @returns a function that ends the announcement. Apps that already have the provider keep it.
 * @throws InvalidOptionError if there is no window, or the info is invalid.
 * @example
 * announceProvider(chain.live, { info: { name: 'preseal, pre-confirmed', rdns: 'localhost.preseal.preconf' } })
 */
export function announceProvider(provider: Provider, options: AnnounceOptions = {}): () => void {
  const target = options.window ?? (typeof window === 'undefined' ? undefined : window)
  check(
    typeof target?.dispatchEvent === 'function',
    'window',
    'a Window, which must be given outside of a browser page',
  )
  const info = resolveInfo(options.info)
  if (provider.closed) return () => {}
  const detail = Object.freeze({ info, provider })
  // Prefers the window's class: emulated windows may refuse events of a different realm.
  const Announcement = target.CustomEvent ?? CustomEvent
  const announce = () => void target.dispatchEvent(new Announcement('eip6963:announceProvider', { detail }))
  const end = () => {
    target.removeEventListener('eip6963:requestProvider', announce)
    provider.removeListener('disconnect', end)
  }
  target.addEventListener('eip6963:requestProvider', announce)
  provider.on('disconnect', end)
  announce()
  return end
}

/** @throws InvalidOptionError */
function resolveInfo(given: Partial<ProviderInfo> = {}): ProviderInfo {
  const { uuid = createUuid(), name = 'preseal', icon = ICON, rdns = 'localhost.preseal' } = given
  check(UUID.test(uuid), 'info.uuid', 'a version 4 UUID')
  check(typeof name === 'string' && name !== '', 'info.name', 'a string that is not empty')
  check(typeof icon === 'string' && icon.startsWith('data:image/'), 'info.icon', 'a data URI of an image')
  check(RDNS.test(rdns), 'info.rdns', 'a reverse domain name, such as com.example.wallet')
  return Object.freeze({ uuid, name, icon, rdns })
}

/** The default icon: three blocks, the last one incomplete. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 96 96">' +
    '<rect width="96" height="96" rx="20" fill="#14171f"/>' +
    '<path d="M16 40h16v16H16zM40 40h16v16H40z" fill="#7dd3a8"/>' +
    '<path d="M64 40h4v16h-4zM70 40h4v16h-4z" fill="#f4c95d"/>' +
    '</svg>',
)}`

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const RDNS = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i

/** Creates a version 4 UUID without `crypto.randomUUID`, which pages loaded over HTTP from the local network lack. */
function createUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytesToHex(bytes).replace(/^0x(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

declare const window: AnnouncementTarget | undefined
