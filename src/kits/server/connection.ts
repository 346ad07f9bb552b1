/**
 * A connection with subscriptions over any transport of text messages, such as a WebSocket, a message port or a pipe.
 *
 * Owns: its provider, and the ids of subscriptions that the client knows. Does not own the transport.
 */

import { getOrInsert } from '../../base/collections.ts'
import { parseOptions } from '../../base/options/option.ts'
import type { Provider } from '../../rpc/provider.ts'
import { reportTo } from '../../rpc/services.ts'
import type { Emission } from '../../rpc/subscriptions/feed.ts'
import {
  onNotification,
  type ResumedSubscription,
  resumeSubscription,
} from '../../rpc/subscriptions/notifications.ts'
import { type GetCaller, unknownCaller } from './access.ts'
import { answerMessage, NOTIFICATION_TAIL, notificationHead, type Requester } from './envelope.ts'
import { SubscriptionLimitError } from './errors.ts'
import { CONNECTION_OPTIONS, type ConnectionOptions, type ConnectionRules } from './options.ts'
import { type Admit, limitRate } from './rate.ts'
import { limitRequests } from './requester.ts'

/** See {@link createConnection}. */
export interface Connection {
  /** Handles a message from the client. Resolves when it is answered; never rejects. */
  receive(text: string): Promise<void>
  /** Closes the provider and sends nothing more. */
  close(): void
}

/**
 * Serves JSON-RPC 2.0 with subscriptions over a transport of text messages, such as a WebSocket. Pass the client's messages
 * to `receive`; answers and `eth_subscription` notifications go to `send`, a subscription's id before its notifications.
 *
 * @param provider - used by this connection alone, such as `chain.provider('preconf')`; closed with it.
 * @param send - sends a text; must neither throw nor block.
 * @throws InvalidOptionError
 * @example
 * const connection = createConnection(chain.provider('preconf'), (text) => socket.send(text))
 * socket.onmessage = ({ data }) => connection.receive(data)
 * socket.onclose = () => connection.close()
 */
export function createConnection(
  provider: Provider,
  send: (text: string) => void,
  options?: ConnectionOptions,
): Connection {
  const transport: Transport = {
    send,
    push: (subscription, { json }) => send(notificationHead(subscription) + json + NOTIFICATION_TAIL),
    onOverflow: () => connection.close(),
  }
  const rules = parseOptions(CONNECTION_OPTIONS, options)
  const admit = limitRate(rules, (thrown) => reportTo(provider, thrown))
  const connection = connect(provider, transport, rules, { caller: unknownCaller, admit })
  return connection
}

/** Sends messages to the client. */
export interface Transport {
  send(text: string): void
  /** Sends a notification; `result` is the same object for every connection, so its bytes can be shared. */
  push(subscription: string, result: NotificationResult): void
  /** Called when more than `maxQueuedBytes` of notifications arrive before the answer to `eth_subscribe` is sent. */
  onOverflow(): void
}

/** The result of a notification, as JSON. */
export type NotificationResult = Pick<Emission, 'json'>

/** The client of a connection, and its limit of requests per second, which connections may share. */
export interface Client {
  readonly caller: GetCaller
  readonly admit: Admit | undefined
}

/** A connection whose client may have had subscriptions on an earlier connection. */
interface ResumableConnection extends Connection {
  /** Resumes a subscription that the client knows; see {@link resumeSubscription}. @throws SubscriptionLimitError */
  resume(subscription: ResumedSubscription): void
}

/** {@link createConnection} over a transport that can encode a result once for many connections. */
export function connect(
  provider: Provider,
  transport: Transport,
  rules: ConnectionRules,
  { caller, admit }: Client,
): ResumableConnection {
  const { maxSubscriptions, maxQueuedBytes } = rules
  const limits = limitRequests(provider, rules)
  const limited: Requester = { request: (args) => limits.request(args, caller) }
  const admitOwn = admit && ((requests: number) => admit(requests, caller))
  const subscriptions = new Set<string>()
  const announced = new Set<string>()
  /** Notifications that arrived before the client was sent their subscription's id. */
  const early = new Map<string, NotificationResult[]>()
  let earlyBytes = 0
  let starting = 0
  let closed = false

  const subscribe = async (args: Parameters<Requester['request']>[0], fresh: string[]): Promise<unknown> => {
    if (subscriptions.size + starting >= maxSubscriptions) throw new SubscriptionLimitError(maxSubscriptions)
    starting += 1
    try {
      const id = await limited.request(args)
      subscriptions.add(id as string)
      fresh.push(id as string)
      return id
    } finally {
      starting -= 1
    }
  }

  const takeEarly = (id: string): readonly NotificationResult[] => {
    const results = early.get(id) ?? []
    early.delete(id)
    for (const { json } of results) earlyBytes -= json.length
    return results
  }

  const unsubscribe = async (args: Parameters<Requester['request']>[0]): Promise<unknown> => {
    const ended = await limited.request(args)
    if (ended === true) {
      // A closed provider returns true without checking the params.
      const id = String((args.params as readonly unknown[] | undefined)?.[0]).toLowerCase()
      subscriptions.delete(id)
      announced.delete(id)
      takeEarly(id)
    }
    return ended
  }

  const announce = (id: string): void => {
    // The batch that started the subscription has also ended it.
    if (!subscriptions.has(id)) return
    announced.add(id)
    for (const result of takeEarly(id)) transport.push(id, result)
  }

  const stopPushing = onNotification(provider, (subscription, result) => {
    if (announced.has(subscription)) return transport.push(subscription, result)
    getOrInsert(early, subscription, () => []).push(result)
    earlyBytes += result.json.length
    if (earlyBytes > maxQueuedBytes) transport.onOverflow()
  })

  return {
    async receive(text) {
      const fresh: string[] = []
      const requester: Requester = {
        request(args) {
          if (args.method === 'eth_subscribe') return subscribe(args, fresh)
          if (args.method === 'eth_unsubscribe') return unsubscribe(args)
          return limited.request(args)
        },
      }
      const answer = await answerMessage(text, rules.observe?.(requester) ?? requester, rules, admitOwn)
      if (closed) return
      if (answer !== undefined) transport.send(answer)
      for (const id of fresh) announce(id)
    },
    resume(subscription) {
      if (subscriptions.size + starting >= maxSubscriptions)
        throw new SubscriptionLimitError(maxSubscriptions)
      resumeSubscription(provider, subscription)
      subscriptions.add(subscription.id)
      announced.add(subscription.id)
    },
    close() {
      if (closed) return
      closed = true
      early.clear()
      stopPushing()
      provider.close()
    },
  }
}
