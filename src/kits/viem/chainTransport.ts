/** The viem transport to a chain in this process or in a worker. */

import {
  createTransport,
  type EIP1193RequestFn,
  ProviderDisconnectedError,
  type Transport,
  type TransportConfig,
} from 'viem'
import type { Clock } from '../../base/clock.ts'
import type { Hex, ViewKind } from '../../base/types.ts'
import type { PresealChain } from '../../chain/handle.ts'

/** An EIP-1193 provider that emits `message` events: a chain's, or a provider from any library. */
export interface PushProvider {
  request(args: { readonly method: string; readonly params?: unknown }): Promise<unknown>
  on(event: string, listener: (value: never) => void): unknown
  removeListener(event: string, listener: (value: never) => void): unknown
}

/** The parameters that viem's watchers pass to a transport's `subscribe`. */
export interface SubscribeParameters {
  /** The params of `eth_subscribe`: the kind, and its option, if any. */
  readonly params: readonly unknown[]
  /** Called with every message of the subscription, in order. */
  onData(data: SubscriptionData): void
  /** Called once when the connection ends. */
  onError?: ((error: Error) => void) | undefined
}

/** A message of a subscription, as viem's transports pass it to `onData`. */
export interface SubscriptionData {
  readonly subscription: Hex
  // viem's own transports have the same type.
  // biome-ignore lint/suspicious/noExplicitAny: every kind sends something else
  readonly result: any
}

/** An active subscription. */
export interface SubscribeReturnType {
  readonly subscriptionId: Hex
  /** Ends the subscription; resolves to whether it was active, and never rejects. */
  unsubscribe(): Promise<boolean>
}

type Request = (args: { method: string; params: readonly unknown[] }) => Promise<unknown>

/** The subscriptions of one provider's connection. Owns: their handlers. Does not own the connection. */
class Connection {
  readonly #provider: PushProvider
  readonly #handlers = new Map<Hex, (data: SubscriptionData) => void>()
  /** Messages that arrived before the id of a starting subscription was known. */
  #early: SubscriptionData[] = []
  #starting = 0

  constructor(provider: PushProvider) {
    this.#provider = provider
    provider.on('message', ({ type, data }: { readonly type: string; readonly data: SubscriptionData }) => {
      if (type !== 'eth_subscription') return
      const handler = this.#handlers.get(data.subscription)
      if (handler !== undefined) handler(data)
      else if (this.#starting > 0) this.#early.push(data)
    })
  }

  /** Starts a subscription. If it throws, none is active. @throws ProviderDisconnectedError, errors of the callbacks */
  async subscribe(
    request: Request,
    { params, onData, onError }: SubscribeParameters,
  ): Promise<SubscribeReturnType> {
    let ended: Error | undefined
    let report = (): void => {}
    const disconnected = (error: Error): void => {
      ended = new ProviderDisconnectedError(error)
      report()
    }
    this.#provider.on('disconnect', disconnected)
    this.#starting += 1
    let subscriptionId: Hex
    try {
      subscriptionId = (await request({ method: 'eth_subscribe', params })) as Hex
      // The connection may have ended between the answer and this turn.
      if (ended !== undefined) throw ended
    } catch (error) {
      this.#provider.removeListener('disconnect', disconnected)
      this.#finishStart()
      throw error
    }
    const forget = (): void => {
      this.#handlers.delete(subscriptionId)
      this.#provider.removeListener('disconnect', disconnected)
    }
    report = () => {
      forget()
      onError?.(ended!)
    }
    this.#handlers.set(subscriptionId, onData)
    const early = this.#early.filter(({ subscription }) => subscription === subscriptionId)
    this.#finishStart()
    const unsubscribe = async (): Promise<boolean> => {
      forget()
      // Never rejects, since viem's watchers do not catch errors. If the connection has ended, so has the subscription.
      return request({ method: 'eth_unsubscribe', params: [subscriptionId] }).then(Boolean, () => false)
    }
    try {
      for (const data of early) onData(data)
    } catch (error) {
      await unsubscribe()
      throw error
    }
    return { subscriptionId, unsubscribe }
  }

  #finishStart(): void {
    this.#starting -= 1
    if (this.#starting === 0) this.#early = []
  }
}

/** A chain to connect to; a chain in a worker (`connectChain`) has no `clock`. */
export type ChainSource = Pick<PresealChain, 'provider'> & Partial<Pick<PresealChain, 'clock'>>

/** The options of {@link chainTransport} for every source. */
export interface ChainTransportCommonConfig {
  /** The key of the transport; by default 'chainTransport'. */
  readonly key?: TransportConfig['key'] | undefined
  /** The methods that the transport allows or refuses; by default it allows all. */
  readonly methods?: TransportConfig['methods'] | undefined
  /** The name of the transport; by default 'preseal'. */
  readonly name?: TransportConfig['name'] | undefined
  /** The number of retries of a failed request; by default 0, as the same request would fail again. */
  readonly retryCount?: TransportConfig['retryCount'] | undefined
  /** The base delay between retries, in ms; by default viem's. */
  readonly retryDelay?: TransportConfig['retryDelay'] | undefined
}

/** The options of {@link chainTransport} for a chain. */
export interface ChainTransportConfig extends ChainTransportCommonConfig {
  /** The view to connect to; by default 'preconf'. */
  readonly view?: ViewKind | undefined
}

/** The options of {@link chainTransport} for a provider. */
export interface ChainTransportProviderConfig extends ChainTransportCommonConfig {
  /** The clock for timeouts; by default the system's. */
  readonly clock?: Clock | undefined
}

/** The attributes of a client's `transport`, in addition to its configuration. */
export interface ChainTransportAttributes {
  /** Makes waits subscribe to whole transactions, as messages do not cross a network. */
  readonly isLocal: true
  /** The clock for timeouts; undefined for the system's. */
  readonly clock: Clock | undefined
  /** Starts a subscription for a viem watcher. */
  subscribe(parameters: SubscribeParameters): Promise<SubscribeReturnType>
}

/** The transport of {@link chainTransport}. Its type is 'webSocket', since viem's watchers poll over unknown types. */
export type ChainTransport = Transport<'webSocket', ChainTransportAttributes, EIP1193RequestFn>

/**
 * Creates a transport to a chain in this process or in a worker. viem's watchers of blocks, block numbers, events,
 * contract events and pending transactions subscribe over it, on both views; over `custom`, they would poll.
 *
 * On `preconf`, requests without a block mean `pending`, and the pending nonce also counts waiting transactions. All
 * clients of a transport share one connection, which ends with the chain: subscriptions then get a
 * `ProviderDisconnectedError`. Create one transport per chain and view, and pass it to all clients.
 *
 * @param source - a chain, or an EIP-1193 provider that emits `message` events, such as `chain.provider(…)`.
 * @example
 * const client = createPublicClient({ chain: preseal, transport: chainTransport(chain) })
 * client.watchBlockNumber({ onBlockNumber: (number) => console.log(number) })
 */
export function chainTransport(source: ChainSource, config?: ChainTransportConfig): ChainTransport
/** Creates a transport to a provider, which has chosen the view. */
export function chainTransport(source: PushProvider, config?: ChainTransportProviderConfig): ChainTransport
export function chainTransport(
  source: ChainSource | PushProvider,
  config: ChainTransportConfig & ChainTransportProviderConfig = {},
): ChainTransport {
  const { key = 'chainTransport', name = 'preseal', methods, retryCount = 0, retryDelay } = config
  const { view = 'preconf' } = config
  const viewOptions = view === 'preconf' ? ({ defaultBlock: 'pending', pendingNonce: 'pool' } as const) : {}
  const provider: PushProvider = isChain(source) ? source.provider(view, viewOptions) : source
  const clock = isChain(source) ? source.clock : config.clock
  // Created outside the transport's function, which `fallback` calls again for every request.
  const connection = new Connection(provider)
  return () => {
    const request = provider.request.bind(provider) as EIP1193RequestFn
    const transport = createTransport({
      key,
      methods,
      name,
      request,
      retryCount,
      retryDelay,
      type: 'webSocket',
    })
    const value: ChainTransportAttributes = {
      isLocal: true,
      clock,
      subscribe: (parameters) => connection.subscribe(transport.request as never, parameters),
    }
    return { ...transport, value }
  }
}

function isChain(source: ChainSource | PushProvider): source is ChainSource {
  return 'provider' in source
}
