/** The viem transport to a chain in this process or in a worker. */
import { createTransport, type EIP1193RequestFn, type Transport, type TransportConfig } from 'viem'
import type { Clock } from '../../base/clock.ts'
import type { ViewKind } from '../../base/types.ts'
import type { PresealChain } from '../../chain/handle.ts'
import {
  Connection,
  type PushProvider,
  type SubscribeParameters,
  type SubscribeReturnType,
} from './connection.ts'

/** A chain to connect to; one in a worker (`connectChain`) has no `clock`. */
export type ChainSource = Pick<PresealChain, 'provider'> & Partial<Pick<PresealChain, 'clock'>>

/** The options of {@link chainTransport} for every source. */
export interface ChainTransportCommonConfig {
  /** The key of the transport; by default 'chainTransport'. */
  readonly key?: TransportConfig['key'] | undefined
  /** Methods to include or exclude from executing RPC requests; by default all are included. */
  readonly methods?: TransportConfig['methods'] | undefined
  /** The name of the transport; by default 'preseal'. */
  readonly name?: TransportConfig['name'] | undefined
  /** How often a failed request is retried; by default 0, since the same request would fail again. */
  readonly retryCount?: TransportConfig['retryCount'] | undefined
  /** The base delay between retries, in ms; by default viem's. */
  readonly retryDelay?: TransportConfig['retryDelay'] | undefined
}

/** How {@link chainTransport} connects to a chain. */
export interface ChainTransportConfig extends ChainTransportCommonConfig {
  /** Which view to connect to; by default 'preconf'. */
  readonly view?: ViewKind | undefined
}

/** How {@link chainTransport} connects through a provider. */
export interface ChainTransportProviderConfig extends ChainTransportCommonConfig {
  /** The clock that timeouts are measured by; by default the system's. */
  readonly clock?: Clock | undefined
}

/** The attributes of a client's `transport`, in addition to its configuration. */
export interface ChainTransportAttributes {
  /** Messages do not cross a network, so whole transactions are pushed. */
  readonly isLocal: true
  /** The clock that timeouts are measured by; the system's if there is none. */
  readonly clock: Clock | undefined
  /** Starts a subscription, as viem's watchers do. */
  subscribe(parameters: SubscribeParameters): Promise<SubscribeReturnType>
}

/** The transport has a WebSocket's type, over which viem's watchers subscribe; over its own they would poll. */
export type ChainTransport = Transport<'webSocket', ChainTransportAttributes, EIP1193RequestFn>

/**
 * Creates a transport to a chain in this process or in a worker. Over it, viem's watchers (`watchBlocks`,
 * `watchBlockNumber`, `watchEvent`, `watchContractEvent` and `watchPendingTransactions`) subscribe, on both views;
 * over `custom` they poll.
 *
 * On `preconf`, requests that name no block mean `pending`, and the pending nonce also counts waiting transactions. All
 * clients of one transport share one connection, which ends with the chain: then subscriptions get a
 * `ProviderDisconnectedError`. Create one transport per chain and view, and pass it to all clients.
 *
 * @param source - a chain, or an EIP-1193 provider that emits `message` events, such as `chain.provider(…)`.
 * @example
 * const client = createPublicClient({ chain: preseal, transport: chainTransport(chain) })
 * client.watchBlockNumber({ onBlockNumber: (number) => console.log(number) })
 */
export function chainTransport(source: ChainSource, config?: ChainTransportConfig): ChainTransport
export function chainTransport(source: PushProvider, config?: ChainTransportProviderConfig): ChainTransport
export function chainTransport(
  source: ChainSource | PushProvider,
  config: ChainTransportConfig & ChainTransportProviderConfig = {},
): ChainTransport {
  const { key = 'chainTransport', name = 'preseal', methods, retryCount = 0, retryDelay } = config
  const provider = isChain(source) ? connect(source, config.view ?? 'preconf') : source
  const clock = isChain(source) ? source.clock : config.clock
  // One connection for all clients: `fallback` creates the transport again for every request.
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

function connect(chain: ChainSource, view: ViewKind): PushProvider {
  return chain.provider(view, view === 'preconf' ? { defaultBlock: 'pending', pendingNonce: 'pool' } : {})
}
