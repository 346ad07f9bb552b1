/** Clients that join and leave, over any link, and what their subscriptions must have received. */

import { PresealRpcError } from '../../src/base/errors.ts'
import type { Hash, Hex, PresealChain, Provider } from '../../src/index.ts'
import { createConnection } from '../../src/kits/server/index.ts'
import { expectEqual, type Model } from './model.ts'
import type { Link, ViewName } from './steps.ts'

/** A notification of a subscription. */
export interface Notification {
  readonly subscription: Hex
  readonly result: unknown
}

/** A connected client. */
export interface Line {
  /** Sends a request. @returns its result, or its error as `{ code, message }` */
  request(method: string, params: readonly unknown[]): Promise<Answer>
  leave(): Promise<void> | void
}

/** The answer to a request. */
export type Answer = { readonly result: unknown } | { readonly code: number; readonly message: string }

/** Connects a client. @param notify - receives its notifications */
export type Connect = (
  chain: PresealChain,
  view: ViewName,
  notify: (notification: Notification) => void,
) => Promise<Line> | Line

/** The links that need no network. */
export const LINKS: Readonly<Partial<Record<Link, Connect>>> = {
  provider: (chain, view, notify) => {
    const provider = chain.provider(view)
    provider.on('message', ({ data }) => notify(data))
    return {
      request: (method, params) => answerOf(provider, { method, params }),
      leave: () => provider.close(),
    }
  },
  text: (chain, view, notify) => {
    const line = createTextLine(notify, (text) => void connection.receive(text))
    const connection = createConnection(chain.provider(view), line.receive)
    return { ...line, leave: () => connection.close() }
  },
}

/** The answer of a provider. */
export async function answerOf(provider: Provider, request: unknown): Promise<Answer> {
  try {
    return { result: await provider.request(request as { method: string }) }
  } catch (error) {
    if (!(error instanceof PresealRpcError)) throw error
    return { code: error.code, message: error.message }
  }
}

/** The client's end of a link that carries texts. */
export function createTextLine(
  notify: (notification: Notification) => void,
  send: (text: string) => void,
): Pick<Line, 'request'> & { receive(text: string): void } {
  const waiting = new Map<number, (answer: Answer) => void>()
  let lastId = 0
  return {
    receive(text) {
      const { id, result, error, params } = JSON.parse(text)
      if (params !== undefined) return notify(params)
      waiting.get(id)?.(error ?? { result })
      waiting.delete(id)
    },
    request(method, params) {
      lastId += 1
      const id = lastId
      return new Promise((resolve) => {
        waiting.set(id, resolve)
        send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      })
    },
  }
}

/** A subscription to heads, from the moment it was answered. */
interface Watched {
  readonly era: number
  readonly from: number
  readonly received: Hash[]
}

/** One client, and what it must have received. */
export class Client {
  readonly #model: Model
  readonly #line: Line
  readonly #watched: ReadonlyMap<string, Watched>
  readonly #begin: (id: string) => void

  private constructor(model: Model, line: Line, watched: Map<string, Watched>) {
    this.#model = model
    this.#line = line
    this.#watched = watched
    this.#begin = (id) => watched.set(id, { era: model.era, from: model.heads.length, received: [] })
  }

  static async join(connect: Connect, chain: PresealChain, view: ViewName, model: Model): Promise<Client> {
    const watched = new Map<string, Watched>()
    const line = await connect(chain, view, ({ subscription, result }) => {
      const { hash } = (result ?? {}) as { readonly hash?: Hash }
      if (hash !== undefined) watched.get(subscription)?.received.push(hash)
    })
    return new Client(model, line, watched)
  }

  async use(method: string, params: readonly unknown[]): Promise<Answer> {
    const answer = await this.#line.request(method, params)
    if ('code' in answer) return answer
    if (method === 'eth_subscribe' && params[0] === 'newHeads') this.#begin(String(answer.result))
    if (method === 'eth_unsubscribe') (this.#watched as Map<string, Watched>).delete(String(params[0]))
    return answer
  }

  /** Checks that each subscription to heads has received all of them, once and in order. */
  async check(): Promise<void> {
    const expected = this.#model.heads.length
    // What was sent before the answer arrives before it.
    await this.#line.request('net_version', [])
    for (const { era, from, received } of this.#watched.values()) {
      if (era !== this.#model.era) continue
      expectEqual(
        'a subscriber gets each head once and in order',
        received.slice(0, expected - from),
        this.#model.heads.slice(from, expected),
      )
    }
  }

  async leave(): Promise<void> {
    await this.check()
    await this.#line.leave()
  }
}
