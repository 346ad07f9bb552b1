/** The page's side of a chain in a worker. */

import { type AsyncDisposal, toAsyncDisposal } from '../../base/disposal.ts'
import { throwLater, toError } from '../../base/emitter.ts'
import { InvalidOptionError } from '../../base/errors.ts'
import type { ChainEvents, ChainSchedule } from '../../base/eventTypes.ts'
import type { FaultPreset, FaultSettings } from '../../base/options/faultSettings.ts'
import { check } from '../../base/options/option.ts'
import type { Hex } from '../../base/types.ts'
import { forwardCalls } from '../../chain/forwardCalls.ts'
import { addViews, type PresealChain, type WithoutViews } from '../../chain/handle.ts'
import { DisconnectedError } from '../../core/sequencer/errors.ts'
import type { Provider } from '../../rpc/provider.ts'
import { WorkerFailedError } from './errors.ts'
import type { RemoteChainOptions, RemoteForkOptions } from './exposeChain.ts'
import { connectProvider, createRemoteEvents, Link } from './link.ts'
import {
  ALWAYS_FORWARDED,
  awaitAbsence,
  CHAIN,
  CHAIN_CHANGED,
  CHAIN_CLOSED,
  type ConnectRequest,
  type Endpoint,
  isEndpoint,
  isProtocolMessage,
  type Presence,
  type RemoteCall,
  reviveError,
  SCHEDULE_CHANGED,
  showPresence,
  type Welcome,
} from './protocol.ts'

/** The options of {@link connectChain}. */
export interface ConnectOptions {
  /** The options of the chain, if the worker creates one per page: `exposeChain(createChain)`. */
  readonly options?: RemoteChainOptions | undefined
  /**
   * Aborts the attempt to connect. Abort it when you terminate a worker that may not have loaded yet: a termination is
   * noticed only after the worker has called {@link exposeChain}.
   */
  readonly signal?: Abortion | undefined
}

/** Fault injection; see `PresealChain.faults`. All methods throw PresealRpcError 4900 after `close`. */
export interface RemoteFaults {
  /** Returns the active faults. */
  current(): Promise<FaultSettings>
  /** Replaces the active faults. @throws InvalidOptionError */
  set(faults: FaultPreset | FaultSettings): Promise<void>
  /** Turns all faults off. */
  clear(): Promise<void>
}

/**
 * A chain in a worker. It has the providers of a {@link PresealChain}, each a separate connection, and its methods. All
 * methods except `provider`, `on`, `once` and `off` are asynchronous. The events of a call arrive before its answer.
 */
export interface RemoteChain
  extends AsyncDisposal,
    Omit<
      PresealChain,
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
  /** Starts the timer; in `interval` mining it is already running. @throws PresealRpcError 4900 after `close`. */
  start(): Promise<void>
  /** Stops the timer. @throws PresealRpcError 4900 after `close`. */
  stop(): Promise<void>
  /**
   * Advances the chain's manual clock by `ms`. When the promise resolves, everything due has run, and the page has
   * received the events, and the answers to the requests that listeners sent in response.
   *
   * @throws ClockNotManualError if the clock runs by itself, InvalidOptionError if `ms` is negative or not finite,
   * PresealRpcError 4900 after `close`
   */
  advance(ms: number): Promise<void>
  /** Returns the number of ticks that the timer skipped. @throws PresealRpcError 4900 after `close` */
  missedTicks(): Promise<number>
  /** The chain's fault injection, shared by all pages. */
  readonly faults: RemoteFaults
  /**
   * Calls `listener` on every `event`. Except for `error` and `schedule`, the worker sends only events that have a
   * listener. An `error` event without a listener is thrown on the page as an uncaught exception. If the connection
   * ends without `close`, an `error` event is emitted too, but it is not thrown if it has no listener.
   */
  on<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /** Calls `listener` on the next `event` only. */
  once<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /** Removes a listener. */
  off<Event extends keyof ChainEvents>(event: Event, listener: ChainEvents[Event]): this
  /**
   * Ends this connection and all its providers. Requests under way fail with code 4900. A chain created for this page
   * is closed, a shared one continues. The worker keeps running.
   */
  close(): Promise<void>
  /** Closes the chain for every page, and the connection. */
  closeChain(): Promise<void>
}

/**
 * Connects to a chain in a worker that calls {@link exposeChain}, now or later.
 *
 * @param endpoint - the `Worker`, or a `MessagePort` such as a `SharedWorker`'s; may carry messages of user code too.
 * @throws PresealRpcError 4900 if the worker fails or is terminated, or `signal` is aborted; `cause` is the reason
 * @throws InvalidOptionError if `endpoint` or an option is invalid, or if `options` are given but the worker shares its
 * chain; and the errors of `createChain`, if the worker creates the chain
 * @example
 * const worker = new Worker(new URL('./chain.worker.ts', import.meta.url), { type: 'module' })
 * const chain = await connectChain(worker)
 * const client = createPublicClient({ transport: custom(chain.live) })
 */
export async function connectChain(
  endpoint: Endpoint,
  { options, signal }: ConnectOptions = {},
): Promise<RemoteChain> {
  const { welcome, presence } = await handshake(endpoint, options, signal)
  const { accounts, own } = welcome
  const link = new Link(welcome.port)
  const events = createRemoteEvents<ChainEvents>(
    // Emitting `error` again for a throwing listener of `error` would cause an endless loop.
    (error, event) => (event === 'error' ? throwLater(error) : report(error)),
    (event, on) => link.post({ type: 'listen', target: CHAIN, event, on }),
    [ALWAYS_FORWARDED.chain, SCHEDULE_CHANGED],
  )
  const report = (error: Error): void => {
    if (events.count('error') > 0) events.emit('error', error)
    else throwLater(error)
  }
  const onFailure = (event: unknown): void => link.end(toFailure(event))
  endpoint.addEventListener('error', onFailure)
  awaitAbsence(welcome.lock, () => link.end(new WorkerFailedError('it was terminated')))
  let leaving = false
  let chainId: Hex | undefined
  let schedule: ChainSchedule | undefined
  let chainClosed = false
  link.attached.set(CHAIN, {
    onEvent(event, values) {
      if (event === ALWAYS_FORWARDED.chain) report(values[0] as Error)
      else if (event === CHAIN_CHANGED) chainId = values[0] as Hex
      else if (event === CHAIN_CLOSED) chainClosed = true
      else {
        if (event === SCHEDULE_CHANGED) schedule = values[0] as ChainSchedule
        events.emit(event as 'block', ...(values as Parameters<ChainEvents['block']>))
      }
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
      // The connection has ended: the chain is closed or out of reach.
      if (!link.ended) throw error
    } finally {
      leave()
    }
  }
  const call = (method: RemoteCall, ...args: readonly unknown[]) => link.call(CHAIN, method, ...args) as never
  const connect = (...[view, providerOptions]: Parameters<PresealChain['provider']>): Provider => {
    const hasEnded = chainClosed || link.ended
    return connectProvider(link, hasEnded ? undefined : chainId, view, providerOptions, report)
  }

  // A listener may make a call when it gets an event or an answer. Repeats a call without effect until no call follows.
  const drain = async (): Promise<void> => {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const before = link.calls
      await call('missedTicks')
      if (link.calls === before + 1) return
    }
  }

  // Listens before the first requests, so that no change is missed.
  for (const event of [CHAIN_CHANGED, CHAIN_CLOSED, SCHEDULE_CHANGED]) {
    link.post({ type: 'listen', target: CHAIN, event, on: true })
  }
  const [firstChainId, firstSchedule]: [Hex, ChainSchedule] = [await call('chainId'), await call('schedule')]
  chainId ??= firstChainId
  schedule ??= firstSchedule
  const rest: WithoutViews<RemoteChain> = {
    ...toAsyncDisposal(() => chain.close()),
    provider: connect,
    accounts,
    get chainId() {
      return Number(chainId)
    },
    get blockTime() {
      return schedule!.blockTime
    },
    get preconfInterval() {
      return schedule!.preconfInterval
    },
    start: () => call('start'),
    stop: () => call('stop'),
    ...forwardCalls((name, args) => call(name, ...args)),
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
  const chain = addViews(rest, connect)
  return chain
}

/** How many times `advance` waits for the calls of listeners. It resolves then even if they still make calls. */
const MAX_ROUNDS = 100

/** Requests a channel. @throws DisconnectedError, InvalidOptionError, and the worker's reason to refuse */
async function handshake(
  endpoint: Endpoint,
  options: RemoteChainOptions | undefined,
  signal: Abortion | undefined,
): Promise<{ readonly welcome: Welcome; readonly presence: Presence | undefined }> {
  check(isEndpoint(endpoint), 'endpoint', 'a Worker, or a MessagePort such as the port of a SharedWorker')
  const isSignal = signal === undefined || typeof Object(signal).addEventListener === 'function'
  check(isSignal, 'signal', 'an AbortSignal')
  checkFork(options?.fork)
  if (signal?.aborted === true) throw new DisconnectedError({ cause: toError(signal.reason) })
  const id = Math.random()
  // Undefined until the page's presence is visible. The worker may fail before that.
  let request: ConnectRequest | undefined
  let removeListeners = (): void => {}
  const answer = new Promise<Welcome>((resolve, reject) => {
    const fail = (cause: Error): void => reject(new DisconnectedError({ cause }))
    const watched = new Set<string | undefined>()
    const watch = (lock: string | undefined): void => {
      if (watched.has(lock)) return
      watched.add(lock)
      awaitAbsence(lock, () => fail(new WorkerFailedError('it was terminated')))
    }
    const onAbort = (): void => fail(toError(signal!.reason))
    const listeners: Readonly<Record<string, (event: unknown) => void>> = {
      message(event) {
        const { data } = event as { readonly data: unknown }
        if (!isProtocolMessage(data) || data.preseal === 'hello') return
        if (data.preseal === 'ready') {
          watch(data.lock)
          if (request !== undefined) endpoint.postMessage(request, [])
        } else if (data.id === id) {
          if (data.preseal === 'heard') watch(data.lock)
          else if (data.preseal === 'welcome') resolve(data)
          else reject(reviveError(data.error))
        }
      },
      error: (event) => fail(toFailure(event)),
      messageerror: () => fail(new WorkerFailedError('a message cannot be read')),
      close: () => fail(new WorkerFailedError('the channel was closed')),
    }
    for (const [type, listener] of Object.entries(listeners)) endpoint.addEventListener(type, listener)
    signal?.addEventListener('abort', onAbort)
    removeListeners = () => {
      signal?.removeEventListener('abort', onAbort)
      for (const [type, listener] of Object.entries(listeners)) endpoint.removeEventListener(type, listener)
    }
    endpoint.start?.()
  })
  const showing = showPresence(`preseal ${id}`)
  const sendRequest = async (): Promise<Welcome> => {
    request = { preseal: 'hello', id, lock: (await showing)?.lock, options }
    try {
      endpoint.postMessage(request, [])
    } catch {
      const expected = 'values that structured clone can copy, so no clock, and databases only by their names'
      throw new InvalidOptionError('options', expected)
    }
    return answer
  }
  try {
    const welcome = await Promise.race([answer, sendRequest()])
    return { welcome, presence: await showing }
  } catch (error) {
    void showing.then((presence) => presence?.end())
    throw error
  } finally {
    removeListeners()
  }
}

/** The used part of an AbortSignal; structural, since projects for Node alone have no DOM types. */
export interface Abortion {
  readonly aborted: boolean
  readonly reason?: unknown
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** Refuses a provider, and a database as a cache, which structured clone may copy without their methods. */
function checkFork(fork: RemoteForkOptions | undefined): void {
  const { provider, cache } = Object(fork) as { readonly provider?: unknown; readonly cache?: unknown }
  const expected = 'no value, since a provider cannot be sent to a worker; use fork.url'
  check(provider === undefined, 'fork.provider', expected)
  const isSent = cache === undefined || typeof cache === 'string' || 'text' in Object(cache)
  check(isSent, 'fork.cache', 'the name of an IndexedDB database, or { text }')
}

/** Converts a host's `error` event: the worker failed to load, or threw an uncaught error. */
function toFailure(event: unknown): WorkerFailedError {
  const { message, error } = event as { readonly message?: string; readonly error?: unknown }
  return new WorkerFailedError(message, { cause: error })
}
