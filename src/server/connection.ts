/**
 * One connection that can push, over any transport of text messages: WebSockets of whatever host, ports, pipes.
 *
 * Owns: its provider, and which of its subscriptions the client knows of. Does not own the transport.
 */
import { SubscriptionLimitError } from '../errors.ts'
import { onNotification, type Provider } from '../rpc/provider.ts'
import { answerMessage, NOTIFICATION_TAIL, notificationHead, type Requester } from './envelope.ts'
import { type ConnectionOptions, resolveConnectionOptions } from './options.ts'

/** See {@link createConnection}. */
export interface Connection {
  /** Takes a message of the client's; resolves once it was answered. Never rejects. */
  receive(text: string): Promise<void>
  /** Ends the connection and closes its provider; nothing is sent any more. */
  close(): void
}

/**
 * Serves JSON-RPC 2.0 with subscriptions over a transport of text messages, such as a WebSocket: what the client sends goes
 * to `receive`, answers and `eth_subscription` notifications come through `send`. A notification never overtakes the
 * answer that names its subscription.
 *
 * @param provider - this connection's own, such as `chain.provider('preconf')`; closed with it.
 * @param send - must neither throw nor wait.
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
  }
  return connect(provider, transport, resolveConnectionOptions(options))
}

/** Where a connection's messages go. */
export interface Transport {
  send(text: string): void
  /** Sends a notification; of what it tells, the text is the same object for every connection that tells it. */
  push(subscription: string, result: NotificationResult): void
}

/** What a subscription sends, as JSON. */
export type NotificationResult = { readonly json: string }

/** {@link createConnection}, over a transport that sends a text that many share without making it anew. */
export function connect(
  provider: Provider,
  transport: Transport,
  { maxBatch, maxSubscriptions }: Required<ConnectionOptions>,
): Connection {
  const subscriptions = new Set<string>()
  const announced = new Set<string>()
  /** What was pushed by subscriptions whose answer is still to be sent. */
  const early = new Map<string, NotificationResult[]>()
  let starting = 0
  let closed = false

  const subscribe = async (args: Parameters<Requester['request']>[0], fresh: string[]): Promise<unknown> => {
    if (subscriptions.size + starting >= maxSubscriptions) throw new SubscriptionLimitError(maxSubscriptions)
    starting += 1
    try {
      const id = await provider.request(args)
      subscriptions.add(id as string)
      fresh.push(id as string)
      return id
    } finally {
      starting -= 1
    }
  }

  const unsubscribe = async (args: Parameters<Requester['request']>[0]): Promise<unknown> => {
    const ended = await provider.request(args)
    if (ended === true) {
      const id = String((args.params as readonly unknown[])[0]).toLowerCase()
      subscriptions.delete(id)
      announced.delete(id)
      early.delete(id)
    }
    return ended
  }

  const announce = (id: string): void => {
    // Ended by the very batch it began in.
    if (!subscriptions.has(id)) return
    announced.add(id)
    for (const result of early.get(id) ?? []) transport.push(id, result)
    early.delete(id)
  }

  const stopPushing = onNotification(provider, (subscription, result) => {
    const waiting = early.get(subscription)
    if (announced.has(subscription)) transport.push(subscription, result)
    else if (waiting !== undefined) waiting.push(result)
    else early.set(subscription, [result])
  })

  return {
    async receive(text) {
      const fresh: string[] = []
      const requester: Requester = {
        request(args) {
          if (args.method === 'eth_subscribe') return subscribe(args, fresh)
          if (args.method === 'eth_unsubscribe') return unsubscribe(args)
          return provider.request(args)
        },
      }
      const answer = await answerMessage(text, requester, maxBatch)
      if (closed) return
      if (answer !== undefined) transport.send(answer)
      for (const id of fresh) announce(id)
    },
    close() {
      if (closed) return
      closed = true
      stopPushing()
      provider.close()
    },
  }
}
