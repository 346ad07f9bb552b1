/** The page's half: a chain in a worker, used as if it were here. */
import type { Chain } from '../chain/chain.ts'
import type { FaultPreset, FaultSettings } from '../config/faultSettings.ts'
import { type AsyncDisposal, toAsyncDisposal } from '../primitives/disposal.ts'
import { throwLater } from '../primitives/emitter.ts'
import type { ChainEvents } from '../primitives/eventTypes.ts'
import type { Hex } from '../primitives/types.ts'
import type { Provider } from '../rpc/provider.ts'
import { WorkerFailedError } from './errors.ts'
import type { RemoteChainOptions } from './exposeChain.ts'
import { Link } from './link.ts'
import { meet, toFailure } from './meet.ts'
import { awaitAbsence } from './presence.ts'
import {
  ALWAYS_FORWARDED,
  CHAIN,
  CHAIN_CHANGED,
  CHAIN_CLOSED,
  type Endpoint,
  type RemoteCall,
} from './protocol.ts'
import { createRemoteEvents } from './remoteEvents.ts'
import { connectProvider } from './remoteProvider.ts'

/** How {@link connectChain} connects. */
export interface ConnectOptions {
  /** What the chain is made with, by a worker that makes one for each page: `exposeChain(createChain)`. */
  readonly options?: RemoteChainOptions | undefined
}

/** What goes wrong on purpose; see `Chain.faults`. All of it throws RpcError 4900 after `close`. */
export interface RemoteFaults {
  /** The faults that are on. */
  current(): Promise<FaultSettings>
  /** Has these faults, and no others, from now on. @throws InvalidOptionError */
  set(faults: FaultPreset | FaultSettings): Promise<void>
  /** Has none. */
  clear(): Promise<void>
}

/**
 * A chain in a worker. Providers are those of a {@link Chain}, each a connection of its own, and calls are the same but
 * that all of them are answered later. What is posted arrives in order: events before the answer to the call they come
 * from.
 */
export interface RemoteChain
  extends AsyncDisposal,
    Omit<
      Chain,
      | keyof AsyncDisposal
      | 'clock'
      | 'missedTicks'
      | 'start'
      | 'stop'
      | 'faults'
      | 'on'
      | 'once'
      | 'off'
      | 'close'
    > {
  /** Starts the timer; in `interval` mining it runs already. @throws RpcError 4900 after `close`. */
  start(): Promise<void>
  /** Stops the timer. @throws RpcError 4900 after `close`. */
  stop(): Promise<void>
  /**
   * Moves the time of a chain under a manual clock on by `ms`. When this resolves, what falls due has happened,
   * everything it tells has arrived here, and so have the answers to what was asked because of that.
   *
   * @throws ClockNotManualError if the clock moves by itself, InvalidOptionError if `ms` is negative or not finite.
   */
  advance(ms: number): Promise<void>
  /** How many ticks were skipped because they came too late. @throws RpcError 4900 after `close`. */
  missedTicks(): Promise<number>
  /** What goes wrong on purpose: the chain's, for every page. */
  readonly faults: RemoteFaults
  /**
   * Calls `listener` at every `event`; the worker tells of those alone that somebody listens to. What nobody listens to
   * in `error` is thrown on this side, as an uncaught exception; the end of the connection without `close` is told
   * there too.
   */
  on<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /** Calls `listener` at the next `event` only. */
  once<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /** Takes a listener off. */
  off<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /**
   * Ends the connection, and with it every provider of this page; what waits ends with 4900. A chain that was made for
   * this page is closed, another goes on. The worker is not terminated.
   */
  close(): Promise<void>
  /** Closes the chain, for every page, and the connection. */
  closeChain(): Promise<void>
}

/**
 * Connects to a chain in a worker that calls {@link exposeChain}, now or later.
 *
 * @param endpoint - the `Worker`, or a `MessagePort` such as that of a `SharedWorker`; it is shared with whoever else
 *   posts messages there.
 * @throws RpcError 4900 where the worker fails, with the reason as its `cause`
 * @throws InvalidOptionError if `endpoint` is none, and what `createChain` does, where the worker makes the chain
 *   with `options`
 * @example
 * const worker = new Worker(new URL('./chain.worker.ts', import.meta.url), { type: 'module' })
 * const chain = await connectChain(worker)
 * const client = createPublicClient({ transport: custom(chain.preconf) })
 */
export async function connectChain(
  endpoint: Endpoint,
  { options }: ConnectOptions = {},
): Promise<RemoteChain> {
  const { welcome, presence } = await meet(endpoint, options)
  const { accounts, own } = welcome
  const link = new Link(welcome.port)
  const events = createRemoteEvents<ChainEvents>(
    // What listens to errors and fails itself would be told of that for ever.
    (error, event) => (event === 'error' ? throwLater(error) : report(error)),
    (event, on) => link.post({ type: 'listen', target: CHAIN, event, on }),
    [ALWAYS_FORWARDED.chain],
  )
  const report = (error: Error): void => {
    if (events.count('error') > 0) events.emit('error', error)
    // There is no listener.
    else throwLater(error)
  }
  const onFailure = (event: unknown): void => link.end(toFailure(event))
  endpoint.addEventListener('error', onFailure)
  awaitAbsence(welcome.lock, () => link.end(new WorkerFailedError('it was terminated')))
  let leaving = false
  let changed: Hex | undefined
  let chainClosed = false
  link.attach(CHAIN, {
    onEvent(event, values) {
      if (event === ALWAYS_FORWARDED.chain) report(values[0] as Error)
      else if (event === CHAIN_CHANGED) changed = values[0] as Hex
      else if (event === CHAIN_CLOSED) chainClosed = true
      else events.emit(event as 'block', ...(values as Parameters<ChainEvents['block']>))
    },
    onEnd(error) {
      endpoint.removeEventListener('error', onFailure)
      presence?.end()
      if (!leaving) events.emit('error', error)
      events.clear()
    },
  })

  const leave = (): void => {
    leaving = true
    link.end()
  }
  const closeChain = async (): Promise<void> => {
    try {
      await link.call(CHAIN, 'close')
    } catch (error) {
      // With the connection its end is beyond reach, or has come.
      if (!link.ended) throw error
    } finally {
      leave()
    }
  }
  const call = (method: RemoteCall, ...args: readonly unknown[]) => link.call(CHAIN, method, ...args) as never
  const connect = (...[view, providerOptions]: Parameters<Chain['provider']>): Provider => {
    const chainId = chainClosed || link.ended ? undefined : (changed ?? asked)
    return connectProvider(link, chainId, view, providerOptions, report)
  }

  /** A message may have caused a call, and its answer another: waits until no call is under way. */
  const drain = async (): Promise<void> => {
    let before: number
    let rounds = 0
    do {
      before = link.calls
      await call('missedTicks')
      rounds += 1
    } while (link.calls > before + 1 && rounds < MAX_ROUNDS)
  }

  // Listened to before it is asked for, so that no change is missed.
  for (const event of [CHAIN_CHANGED, CHAIN_CLOSED]) {
    link.post({ type: 'listen', target: CHAIN, event, on: true })
  }
  const asked: Hex = await call('chainId')
  let standard: Provider | undefined
  let preconf: Provider | undefined
  const chain: RemoteChain = {
    ...toAsyncDisposal(() => chain.close()),
    // Connected when they are first read: a listener that is added at once hears of it.
    get standard() {
      standard ??= connect('standard')
      return standard
    },
    get preconf() {
      preconf ??= connect('preconf')
      return preconf
    },
    provider: connect,
    accounts,
    start: () => call('start'),
    stop: () => call('stop'),
    tick: () => call('tick'),
    seal: () => call('seal'),
    importBlocks: (bytes) => call('importBlocks', bytes),
    snapshot: () => call('snapshot'),
    revert: (id) => call('revert', id),
    reorg: (request) => call('reorg', request),
    retract: (request) => call('retract', request),
    async advance(ms) {
      await call('advance', ms)
      await drain()
    },
    missedTicks: () => call('missedTicks'),
    faults: {
      current: () => call('currentFaults'),
      set: (faults) => call('setFaults', faults),
      clear: () => call('clearFaults'),
    },
    on(event, listener) {
      events.on(event, listener)
      return chain
    },
    once(event, listener) {
      events.once(event, listener)
      return chain
    },
    off(event, listener) {
      events.off(event, listener)
      return chain
    },
    async close() {
      if (own) await closeChain()
      else leave()
    },
    closeChain,
  }
  return chain
}

/** Calls that lead to calls without end are not waited for. */
const MAX_ROUNDS = 100
