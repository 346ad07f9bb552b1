/**
 * The messages between a document and its wallet in the test's process. They are JSON texts, the only form that is the
 * same in every browser. A document sends messages by calling the binding. It gets events as answers to its polls: if
 * events were pushed to the frame, a newer document in the frame could get them.
 */

import { isObject } from '../../base/schema.ts'
import type { ProviderInfo } from '../../chain/announceProvider.ts'
import { InvalidRequestError } from '../../rpc/errors.ts'

/** A view by the name of its provider: `chain.live`, `chain.preconf` or `chain.standard`. */
export type WalletView = 'live' | 'preconf' | 'standard'

export const BINDING = '__presealWallet'

/** The configuration of a document's script. */
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

/** A message from a document. */
export type FromDocument = {
  readonly document: string
} & (
  | Hello
  | { readonly type: 'poll' }
  | { readonly type: 'request'; readonly view: WalletView; readonly args: unknown }
)

/** The first message of a document, sent before any script of its page runs; answered like a poll. */
export interface Hello {
  readonly type: 'hello'
  readonly token: string
  /** The origin that the document states. `confirmOrigin` checks it. */
  readonly origin: string
}

/**
 * The serialized form of opaque origins (HTML), as of sandboxes, files and data URLs. The opaque origins of two
 * documents are never the same.
 */
export const OPAQUE_ORIGIN = 'null'

/** An error in a message to a document. */
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

export type RequestAnswer = { readonly result: unknown } | { readonly error: SentError }

/**
 * Reads a message, which any script of a page can send.
 *
 * @throws InvalidRequestError if its form or `token` is invalid
 */
export function readMessage(text: unknown, token: string, views: readonly WalletView[]): FromDocument {
  const message = parse(text)
  const { type, document } = message
  if (typeof document !== 'string') throw new InvalidRequestError(EXPECTED)
  if (type === 'poll') return { type, document }
  if (type === 'hello') {
    const { origin } = message
    if (message['token'] !== token || typeof origin !== 'string') throw new InvalidRequestError(EXPECTED)
    return { type, document, token, origin }
  }
  if (type !== 'request') throw new InvalidRequestError(EXPECTED)
  const view = views.find((one) => one === message['view'])
  if (view === undefined) throw new InvalidRequestError('a view that the wallet has')
  return { type, document, view, args: message['args'] }
}

const EXPECTED = "a message of the wallet's script"

function parse(text: unknown): Record<string, unknown> {
  let message: unknown
  try {
    message = typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    throw new InvalidRequestError(EXPECTED)
  }
  if (!isObject(message)) throw new InvalidRequestError(EXPECTED)
  return message
}
