/**
 * The messages between a document and its wallet in the test's process: JSON texts, the only form that is the same in
 * every browser. A document calls the binding to send messages, and polls for events: if events were pushed to the frame,
 * a newer document in the frame could get them.
 */

import { toObject } from '../../base/schema.ts'
import type { ProviderInfo } from '../../chain/announceProvider.ts'
import { InvalidRequestError } from '../../rpc/errors.ts'

/** A view by the name of its provider: `chain.live`, `chain.preconf` or `chain.standard`. */
export type WalletView = 'live' | 'preconf' | 'standard'

/** The name under which Playwright adds the binding to each document. */
export const BINDING = '__presealWallet'

/** The configuration of the script in a document, which the test's process writes into the script. */
export interface PageConfig {
  readonly binding: string
  /** Proves that the wallet's script announced a document: the scripts of pages never see the token. */
  readonly token: string
  readonly providers: readonly {
    readonly view: WalletView
    readonly info: Partial<Omit<ProviderInfo, 'uuid'>>
    /** Further properties of the provider, such as `isMetaMask`. */
    readonly flags: Readonly<Record<string, boolean>>
  }[]
}

/**
 * A message from a document. The first is `hello`, sent before any script of its page runs and answered like a poll.
 * Its `origin` can be any text: `confirmOrigin` checks it.
 */
export type FromDocument = { readonly document: string } & (
  | { readonly type: 'hello'; readonly token: string; readonly origin: string }
  | { readonly type: 'poll' }
  | { readonly type: 'request'; readonly view: WalletView; readonly args: unknown }
)

/** How HTML serializes opaque origins, as of sandboxes, files and data URLs. No two opaque origins are the same. */
export const OPAQUE_ORIGIN = 'null'

/** An error in a message to a document, which creates an `Error` from it. */
export interface SentError {
  readonly name: string
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** An event for the providers of a document. */
export interface WalletEvent {
  readonly event: 'connect' | 'disconnect' | 'chainChanged' | 'accountsChanged' | 'message'
  /** The view whose provider emits the event; undefined if all providers do. */
  readonly view?: WalletView | undefined
  readonly value: unknown
}

/** The answer to a poll: the events since the last poll. After `isLast`, the document stops polling. */
export interface PollAnswer {
  readonly events: readonly WalletEvent[]
  readonly isLast: boolean
}

/** The error for documents whose wallet has ended. */
export const DISCONNECTED: SentError = { name: 'DisconnectedError', code: 4900, message: 'disconnected' }

/** The answer to polls of a document whose link has ended. */
export const LAST_ANSWER: PollAnswer = {
  events: [{ event: 'disconnect', value: DISCONNECTED }],
  isLast: true,
}

/** The answer to a request of a document: its result, or its error. */
export type RequestAnswer = { readonly result: unknown } | { readonly error: SentError }

/** Reads a message, which any script of a page can send. @throws InvalidRequestError if its form or `token` is invalid */
export function readMessage(text: unknown, token: string, views: readonly WalletView[]): FromDocument {
  const { document, type, token: given, origin, view: named, args } = toObject(parse(text))
  const view = views.find((one) => one === named)
  if (typeof document !== 'string') throw new InvalidRequestError(EXPECTED)
  if (type === 'poll') return { type, document }
  if (type === 'hello' && given === token && typeof origin === 'string')
    return { type, document, token, origin }
  if (type !== 'request') throw new InvalidRequestError(EXPECTED)
  if (view === undefined) throw new InvalidRequestError('a view that the wallet has')
  return { type, document, view, args }
}

const EXPECTED = "a message of the wallet's script"

function parse(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}
