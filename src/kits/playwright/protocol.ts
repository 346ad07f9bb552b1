/**
 * The messages between a document and its wallet in the test process, as JSON texts: bindings have no other form that is
 * the same in every browser. A document calls the binding, and gets its events as the answers of polls: they reach the
 * document that polled, even if its frame has another one by then.
 */

import { isObject } from '../../base/schema.ts'
import type { ProviderInfo } from '../../chain/announceProvider.ts'
import { InvalidRequestError } from '../../rpc/errors.ts'

/** A connection by name, see `chain.live`, `chain.preconf` and `chain.standard`. */
export type WalletView = 'live' | 'preconf' | 'standard'

/** The name of the binding in a document. */
export const BINDING = '__presealWallet'

/** What the script of a document is configured with. */
export interface PageConfig {
  readonly binding: string
  /** Proves that a document is announced by the script: scripts of pages never see it. */
  readonly token: string
  readonly providers: readonly {
    readonly view: WalletView
    readonly info: Partial<Omit<ProviderInfo, 'uuid'>>
    /** Further properties of the provider, such as `isMetaMask`. */
    readonly flags: Readonly<Record<string, boolean>>
  }[]
}

/** Sent by a document. */
export type FromDocument = {
  /** A random id of the document. */
  readonly document: string
} & (
  | Hello
  | { readonly type: 'poll' }
  | { readonly type: 'request'; readonly view: WalletView; readonly args: unknown }
)

/** The first message of a document, sent before any script of its page runs; its answer is that of a poll. */
export interface Hello {
  readonly type: 'hello'
  readonly token: string
  /** The origin as the document states it, which the browser's URL of the frame has to confirm. */
  readonly origin: string
}

/** The origin of documents that share it with no other (HTML), such as those of a sandbox, of files and of data URLs. */
export const OPAQUE_ORIGIN = 'null'

/** An error as the document gets it. */
export interface SentError {
  readonly name: string
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** An event of the providers of a document. */
export interface WalletEvent {
  readonly event: 'connect' | 'disconnect' | 'chainChanged' | 'accountsChanged' | 'message'
  /** The provider that emits it; undefined for all of them. */
  readonly view?: WalletView | undefined
  readonly value: unknown
}

/** The answer of a poll: the events since the last one. After the last one, the document does not poll again. */
export interface PollAnswer {
  readonly events: readonly WalletEvent[]
  readonly isLast: boolean
}

/** The error of a document whose wallet has ended. */
export const DISCONNECTED: SentError = { name: 'DisconnectedError', code: 4900, message: 'disconnected' }

/** The answer of a poll of a document whose link has ended. */
export const LAST_ANSWER: PollAnswer = {
  events: [{ event: 'disconnect', value: DISCONNECTED }],
  isLast: true,
}

/** The answer of a request. */
export type RequestAnswer = { readonly result: unknown } | { readonly error: SentError }

// Messages of documents, which any script of a page can send.

/** Reads a message. @param token - of the script. @throws InvalidRequestError if it is not one of the script's. */
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
