/** Messages of documents, which any script of a page can send. Owns nothing. */
import { isObject } from '../../base/schema.ts'
import { InvalidRequestError } from '../../rpc/errors.ts'
import type { FromDocument, WalletView } from './protocol.ts'

/** What the messages of a context's documents are compared with. */
export interface ScriptRules {
  /** The token that the script has. */
  readonly token: string
  readonly views: readonly WalletView[]
}

/** Reads a message. @throws InvalidRequestError if it is not one of the script's. */
export function readMessage(text: unknown, { token, views }: ScriptRules): FromDocument {
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
