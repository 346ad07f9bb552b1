/**
 * The link to one document.
 *
 * Owns: the document's connections to chains, with their subscriptions, and the events that it has not polled yet.
 */
import type { Frame } from '@playwright/test'
import { LIVE_OPTIONS, type ProviderOptions } from '../../base/options/providerOptions.ts'
import type { ViewKind } from '../../base/types.ts'
import type { PresealChain } from '../../chain/handle.ts'
import type { Provider, ProviderEvents } from '../../rpc/provider.ts'
import type { Requester } from '../server/index.ts'
import { isOfNodesOrWallets, offer } from './offered.ts'
import type { PollAnswer, WalletEvent, WalletView } from './protocol.ts'

const VIEWS: Readonly<Record<WalletView, readonly [view: ViewKind, options?: ProviderOptions]>> = {
  live: ['preconf', LIVE_OPTIONS],
  preconf: ['preconf'],
  standard: ['standard'],
}

interface Connection {
  readonly provider: Provider
  /** The provider, as far as pages may use it. */
  readonly requester: Requester
  readonly calls: Set<Promise<unknown>>
  readonly onMessage: ProviderEvents['message']
}

/** The answer of a poll of a document whose link has ended. */
export const LAST_ANSWER: PollAnswer = {
  events: [
    { event: 'disconnect', value: { name: 'DisconnectedError', code: 4900, message: 'disconnected' } },
  ],
  isLast: true,
}

/** A document, and whether it may use cheats. */
interface LinkedDocument {
  readonly id: string
  readonly frame: Frame
  readonly origin: string
  readonly cheats: boolean
}

/** See the file's header. */
export class DocumentLink {
  readonly id: string
  readonly frame: Frame
  readonly origin: string
  readonly #cheats: boolean
  #connections = new Map<WalletView, Connection>()
  /** Connections to an earlier chain, with calls under way. */
  readonly #retired = new Set<Connection>()
  #events: WalletEvent[] = []
  #answerPoll: ((answer: PollAnswer) => void) | undefined
  #ended = false

  constructor({ id, frame, origin, cheats }: LinkedDocument) {
    this.id = id
    this.frame = frame
    this.origin = origin
    this.#cheats = cheats
  }

  /** Sends a request on the document's own connection. @throws MethodNotOfferedError, PageForkUrlError, and what `request` of the provider throws. */
  async request(chain: PresealChain, view: WalletView, args: object): Promise<unknown> {
    const { requester, calls } = this.#connect(chain, view)
    const call = requester.request(args as { readonly method: string })
    calls.add(call)
    try {
      return await call
    } finally {
      calls.delete(call)
    }
  }

  /** Adds an event for the document. */
  push(event: WalletEvent): void {
    if (this.#ended) return
    this.#events.push(event)
    this.#flush()
  }

  /** Resolves to the events since the last poll, once there are any. */
  poll(): Promise<PollAnswer> {
    if (this.#ended) return Promise.resolve(LAST_ANSWER)
    // A second poll of one document replaces the first.
    this.#answerPoll?.({ events: [], isLast: false })
    return new Promise((resolve) => {
      this.#answerPoll = resolve
      this.#flush()
    })
  }

  /** Ends the subscriptions and opens new connections for later requests; calls under way get their answers. */
  retire(): void {
    for (const connection of this.#connections.values()) {
      const { provider, calls, onMessage } = connection
      provider.removeListener('message', onMessage)
      if (calls.size === 0) {
        provider.close()
        continue
      }
      this.#retired.add(connection)
      void Promise.allSettled(calls).then(() => {
        this.#retired.delete(connection)
        provider.close()
      })
    }
    this.#connections = new Map()
  }

  /** Closes the connections: calls under way reject with 4900. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    for (const { provider } of [...this.#connections.values(), ...this.#retired]) provider.close()
    this.#connections.clear()
    this.#answerPoll?.({ ...LAST_ANSWER, events: [...this.#events, ...LAST_ANSWER.events] })
    this.#answerPoll = undefined
  }

  #connect(chain: PresealChain, view: WalletView): Connection {
    const existing = this.#connections.get(view)
    if (existing !== undefined) return existing
    const provider = chain.provider(...VIEWS[view])
    const onMessage: ProviderEvents['message'] = (value) => this.push({ event: 'message', view, value })
    const requester = offer(provider, isOfNodesOrWallets, { cheats: this.#cheats })
    const connection = { provider, requester, calls: new Set<Promise<unknown>>(), onMessage }
    provider.on('message', onMessage)
    this.#connections.set(view, connection)
    if (this.#ended) provider.close()
    return connection
  }

  #flush(): void {
    if (this.#answerPoll === undefined || this.#events.length === 0) return
    this.#answerPoll({ events: this.#events, isLast: false })
    this.#answerPoll = undefined
    this.#events = []
  }
}
