/** The transport: viem on a chain of this process, pushed to. */
import { createTransport, type EIP1193RequestFn, type Transport, type TransportConfig } from 'viem'
import type { Chain } from '../chain/chain.ts'
import type { Clock } from '../primitives/clock.ts'
import type { ViewKind } from '../primitives/types.ts'
import {
  Connection,
  type PushProvider,
  type SubscribeParameters,
  type SubscribeReturnType,
} from './connection.ts'

/** What makes connections: a chain, also one in a worker (`connectChain`), whose clock is not at hand. */
export type ChainSource = Pick<Chain, 'provider'> & Partial<Pick<Chain, 'clock'>>

/** How {@link inProcess} is set up, besides what it connects to. */
export interface InProcessConfig {
  /** The key of the transport; 'inProcess'. */
  readonly key?: TransportConfig['key'] | undefined
  /** Methods to include or exclude from executing RPC requests; all are included. */
  readonly methods?: TransportConfig['methods'] | undefined
  /** The name of the transport; 'preseal'. */
  readonly name?: TransportConfig['name'] | undefined
  /** How often a failed request is sent again; 0, as the same request to the same chain fails again. */
  readonly retryCount?: TransportConfig['retryCount'] | undefined
  /** The base delay between retries, in ms; viem's. */
  readonly retryDelay?: TransportConfig['retryDelay'] | undefined
}

/** How {@link inProcess} connects to a chain. */
export interface InProcessChainConfig extends InProcessConfig {
  /** Which view to connect to; 'preconf'. */
  readonly view?: ViewKind | undefined
}

/** How {@link inProcess} connects through a provider. */
export interface InProcessProviderConfig extends InProcessConfig {
  /** The clock that timeouts are measured by; the system's. */
  readonly clock?: Clock | undefined
}

/** What a client's `transport` has beside its configuration. */
export interface InProcessAttributes {
  /** Nothing travels: what is pushed is pushed whole. */
  readonly inProcess: true
  /** The clock that timeouts are measured by; the system's if there is none. */
  readonly clock: Clock | undefined
  /** Starts a subscription, as viem's watchers do. */
  subscribe(parameters: SubscribeParameters): Promise<SubscribeReturnType>
}

/** To viem the transport is a WebSocket's: its watchers subscribe where they find that type, and poll elsewhere. */
export type InProcessTransport = Transport<'webSocket', InProcessAttributes, EIP1193RequestFn>

/**
 * Creates a transport to a chain in this process. viem's watchers push over it on both views, where over `custom` they
 * poll: `watchBlocks`, `watchBlockNumber`, `watchEvent`, `watchContractEvent`, `watchPendingTransactions`.
 *
 * On `preconf`, requests that name no block mean `pending`, and the pending nonce counts what still waits. All clients
 * of one transport share one connection, which ends with the chain: then subscriptions get a
 * `ProviderDisconnectedError`. So make one transport per chain and view, and give it to all clients.
 *
 * @param source - a chain, or an EIP-1193 provider that sends messages, such as `chain.provider(…)`.
 * @example
 * const client = createPublicClient({ chain: preseal, transport: inProcess(chain) })
 * client.watchBlockNumber({ onBlockNumber: (number) => console.log(number) })
 */
export function inProcess(source: ChainSource, config?: InProcessChainConfig): InProcessTransport
export function inProcess(source: PushProvider, config?: InProcessProviderConfig): InProcessTransport
export function inProcess(
  source: ChainSource | PushProvider,
  config: InProcessChainConfig & InProcessProviderConfig = {},
): InProcessTransport {
  const { key = 'inProcess', name = 'preseal', methods, retryCount = 0, retryDelay } = config
  const provider = isChain(source) ? connect(source, config.view ?? 'preconf') : source
  const clock = isChain(source) ? source.clock : config.clock
  // One for all clients: `fallback` makes the transport again for every request.
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
    const value: InProcessAttributes = {
      inProcess: true,
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
