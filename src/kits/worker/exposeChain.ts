/**
 * The worker's side: a chain for every page that connects at an endpoint.
 *
 * Owns: the channels of the pages, their listeners, and the chains created for them. Does not own a chain passed to it.
 */

import { throwLater, toError } from '../../base/emitter.ts'
import type { ManualClock } from '../../base/manualClock.ts'
import type { FaultPreset, FaultSettings } from '../../base/options/faultSettings.ts'
import { check } from '../../base/options/option.ts'
import type { MaybePromise } from '../../base/types.ts'
import { callMethod, forwardCalls } from '../../chain/forwardCalls.ts'
import type { PresealChain } from '../../chain/handle.ts'
import type { ChainOptions } from '../../core/options.ts'
import { DisconnectedError } from '../../core/sequencer/errors.ts'
import type { Provider } from '../../rpc/provider.ts'
import type { OpenedDatabase } from './browserDatabase.ts'
import {
  ALWAYS_FORWARDED,
  awaitAbsence,
  CHAIN,
  CHAIN_CHANGED,
  CHAIN_CLOSED,
  type ConnectRequest,
  type ConnectResponse,
  carry,
  carryError,
  type Endpoint,
  type FromPage,
  type FromWorker,
  isEndpoint,
  isProtocolMessage,
  type Port,
  type RemoteCall,
  showPresence,
  type Target,
} from './protocol.ts'

/**
 * Lets pages use a chain in this worker by {@link connectChain}. They may connect before this is called.
 *
 * If `source` is a chain, all pages share it, and it outlives them. If `source` is a function, such as `createChain`,
 * each page gets a chain created with the options that the page sent. This chain is closed with the page's connection.
 * If the options name a database, the worker opens it, and closes it after the chain.
 *
 * @param endpoint - where pages connect: the scope of a dedicated worker (the default), or a `MessagePort`, such as a
 * shared worker receives by `connect` events.
 * @returns a function that disconnects all pages, and stops accepting new ones.
 * @throws InvalidOptionError if `source` is neither a chain nor a function, or if `endpoint` cannot exchange messages
 * or is a window, where messages arrive from any page
 * @example
 * // The whole of chain.worker.ts, except its imports.
 * exposeChain(createChain)
 */
export function exposeChain(
  source: PresealChain | ChainFactory,
  endpoint: Endpoint = globalThis as unknown as Endpoint,
): () => void {
  const isSource = typeof source === 'function' || typeof source?.provider === 'function'
  check(isSource, 'source', 'a chain, or a function that creates one')
  check(isEndpoint(endpoint), 'endpoint', 'the scope of a dedicated worker, or a MessagePort')
  const sessions = new Set<Session>()
  const known = new Set<number>()
  const welcoming = new Set<Promise<void>>()
  // From now on, pages notice if the worker is terminated.
  const showing = showPresence(`preseal worker ${Math.random()}`)
  let ended = false

  const respond = (response: ConnectResponse, transfer: readonly Port[] = []): void =>
    endpoint.postMessage(response, transfer as never[])

  const serve = async (options: unknown): Promise<ServedChain> => {
    if (typeof source === 'function')
      return createServedChain(source, options as RemoteChainOptions | undefined)
    check(options === undefined, 'options', 'no value: the worker has created the chain already')
    return { chain: source, own: false, close: () => source.close() }
  }

  const welcome = async ({ id, options, lock }: ConnectRequest): Promise<void> => {
    try {
      const served = await serve(options)
      const { chain, own } = served
      const presence = lock === undefined ? undefined : await showPresence(`${lock} worker`)
      if (ended) {
        presence?.end()
        if (own) await served.close()
        throw new DisconnectedError()
      }
      const { port1, port2 } = new MessageChannel()
      const session = new Session(served, port1, () => sessions.delete(session))
      sessions.add(session)
      awaitAbsence(lock, () => {
        session.end()
        // Comes after all messages: a page that gets the lock takes the worker for terminated.
        presence?.end()
      })
      const { accounts } = chain
      respond({ preseal: 'welcome', id, port: port2, lock: presence?.lock, accounts, own }, [port2])
    } catch (error) {
      respond({ preseal: 'refused', id, error: carryError(toError(error)) })
    }
  }

  const onMessage = ({ data }: { readonly data: unknown }): void => {
    if (!isProtocolMessage(data) || data.preseal !== 'hello' || known.has(data.id)) return
    known.add(data.id)
    void showing.then((shown) => respond({ preseal: 'heard', id: data.id, lock: shown?.lock }))
    const answered = welcome(data).finally(() => welcoming.delete(answered))
    welcoming.add(answered)
  }
  endpoint.addEventListener('message', onMessage)
  endpoint.start?.()
  void showing.then((shown) => {
    if (!ended) respond({ preseal: 'ready', lock: shown?.lock })
  })
  return () => {
    ended = true
    endpoint.removeEventListener('message', onMessage)
    for (const session of sessions) session.end()
    // Comes after all answers: a page that gets the lock takes the worker for terminated.
    void Promise.all([showing, ...welcoming]).then(([shown]) => shown?.end())
  }
}

/** A chain or a provider, as a page uses it. */
interface Source {
  readonly calls: Readonly<Record<string, (...args: never[]) => unknown>>
  /** The event that is sent even if the page has no listener for it. */
  readonly alwaysSent: string
  on(event: string, listener: Listener): void
  off(event: string, listener: Listener): void
  close(): void
}

type Listener = (...values: unknown[]) => void

/** The connections of a page. */
class Session {
  readonly #chain: PresealChain
  readonly #port: Port
  readonly #opened = new Map<Target, { readonly source: Source; readonly listeners: Map<string, Listener> }>()
  readonly #onEnd: () => void
  #ended = false

  constructor(served: ServedChain, port: Port, onEnd: () => void) {
    this.#chain = served.chain
    this.#port = port
    this.#onEnd = onEnd
    this.#open(CHAIN, toChainSource(served))
    port.addEventListener('message', ({ data }: { readonly data: FromPage }) => this.#receive(data))
    // Some hosts emit this if the page is gone without a last message.
    port.addEventListener('close', () => this.end())
    port.start()
  }

  /** Ends the page's connections, and closes the chain if it was created for this page. */
  end(): void {
    if (this.#ended) return
    for (const target of [...this.#opened.keys()].reverse()) this.#close(target)
    this.#post({ type: 'end' })
    this.#ended = true
    this.#port.close()
    this.#onEnd()
  }

  #receive(message: FromPage): void {
    const { target } = message
    if (message.type === 'open') {
      const { dialect, ...rest } = message.options
      const provider = this.#chain.provider(message.view, { ...rest, ...(dialect && { dialect }) })
      this.#open(target, toProviderSource(provider))
    } else if (message.type === 'call') {
      void this.#call(message)
    } else if (message.type === 'listen') {
      this.#listen(message)
    } else if (target === CHAIN) {
      this.end()
    } else {
      this.#close(target)
    }
  }

  #open(target: Target, source: Source): void {
    this.#opened.set(target, { source, listeners: new Map() })
    this.#listen({ target, event: source.alwaysSent, on: true })
  }

  async #call({ target, id, method, args }: FromPage & { readonly type: 'call' }): Promise<void> {
    try {
      const opened = this.#opened.get(target)
      if (opened === undefined) throw new DisconnectedError()
      const value = await opened.source.calls[method]!(...(args as never[]))
      this.#post({ type: 'result', id, value })
    } catch (error) {
      this.#post({ type: 'failure', id, error: carryError(toError(error)) })
    }
  }

  #listen({ target, event, on }: Omit<FromPage & { readonly type: 'listen' }, 'type'>): void {
    const { source, listeners } = this.#opened.get(target) ?? {}
    if (source === undefined || listeners === undefined || listeners.has(event) === on) return
    if (on) {
      const listener: Listener = (...values) =>
        this.#post({ type: 'event', target, event, values: values.map(carry) })
      listeners.set(event, listener)
      source.on(event, listener)
    } else {
      source.off(event, listeners.get(event)!)
      listeners.delete(event)
    }
  }

  #close(target: Target): void {
    const opened = this.#opened.get(target)
    if (opened === undefined) return
    const { source, listeners } = opened
    this.#opened.delete(target)
    // The source is closed before the listeners are removed, so that the page receives `disconnect`.
    source.close()
    for (const [event, listener] of listeners) source.off(event, listener)
  }

  #post(message: FromWorker): void {
    if (!this.#ended) this.#port.postMessage(message, [])
  }
}

function toChainSource({ chain, own, close }: ServedChain): Source {
  const calls: Record<RemoteCall, (...args: never[]) => unknown> = {
    start: () => chain.start(),
    stop: () => chain.stop(),
    ...forwardCalls((name, args) => callMethod(chain, name, args)),
    missedTicks: () => chain.missedTicks,
    currentFaults: () => chain.faults.current,
    setFaults: (faults: FaultPreset | FaultSettings) => chain.faults.set(faults),
    clearFaults: () => chain.faults.clear(),
    // If the clock is not manual, the page gets the error.
    advance: (ms: number) => (chain as PresealChain<ManualClock>).advance(ms),
    close,
    schedule: () => ({ blockTime: chain.blockTime, preconfInterval: chain.preconfInterval }),
    chainId: () => chain.standard.request({ method: 'eth_chainId' }),
  }
  const isProviderEvent = (event: string) => event === CHAIN_CHANGED || event === CHAIN_CLOSED
  return {
    calls,
    alwaysSent: ALWAYS_FORWARDED.chain,
    on(event, listener) {
      if (isProviderEvent(event)) chain.standard.on(event, listener)
      else chain.on(event as 'block', listener)
    },
    off(event, listener) {
      if (isProviderEvent(event)) chain.standard.removeListener(event, listener)
      else chain.off(event as 'block', listener)
    },
    close: () => {
      // The page is gone and cannot receive the error.
      if (own) close().catch(throwLater)
    },
  }
}

function toProviderSource(provider: Provider): Source {
  return {
    calls: { request: (args: never) => provider.request(args) },
    alwaysSent: ALWAYS_FORWARDED.connection,
    on: (event, listener) => provider.on(event, listener),
    off: (event, listener) => provider.removeListener(event, listener),
    close: () => provider.close(),
  }
}

type ForkOptions = NonNullable<ChainOptions['fork']>

/** The options of a fork that can be sent in a message. */
export interface RemoteForkOptions extends Omit<ForkOptions, 'provider' | 'cache'> {
  /**
   * The name of an IndexedDB database, created if it does not exist, or `{ text }`, the lines of a cache. Several pages
   * and workers can have the same database open. In a thread of Node, a string is the path of a folder.
   */
  readonly cache?: string | { readonly text: string } | undefined
}

/** The options of a chain that can be sent in a message. */
export interface RemoteChainOptions extends Omit<ChainOptions, 'clock' | 'database' | 'fork'> {
  /** The chain to fork, over HTTP or from a cache; a provider cannot be sent. */
  readonly fork?: RemoteForkOptions | undefined
  /**
   * The name of an IndexedDB database, created if it does not exist. The next chain with this database resumes where
   * this one ends. Opening a database that is open throws a `DatabaseInUseError`.
   */
  readonly database?: string | undefined
}

/** Creates a chain for one page. The worker opens the databases that the options name, and closes them after the chain. */
export type ChainFactory = (options: Omit<ChainOptions, 'clock'> | undefined) => MaybePromise<PresealChain>

/** A chain that a page uses. */
export interface ServedChain {
  readonly chain: PresealChain
  /** Whether the chain was created for this page, and is closed with its connection. */
  readonly own: boolean
  /** Closes the chain, then the databases opened for it. */
  close(): Promise<void>
}

/** Creates the chain of one page. @throws InvalidOptionError, and the errors of `create` and `openBrowserDatabase` */
export async function createServedChain(
  create: ChainFactory,
  options: RemoteChainOptions | undefined,
): Promise<ServedChain> {
  // Not validated: the page can send any value.
  const { database, durability, fork } = Object(options) as RemoteChainOptions
  const { cache } = Object(fork) as RemoteForkOptions
  const opened: OpenedDatabase[] = []
  const open = async (name: string, path: string, how: { isShared?: boolean; isStrict?: boolean }) => {
    const isName = typeof name === 'string' && name !== ''
    check(isName, path, 'the name of an IndexedDB database, a string that is not empty')
    const { openBrowserDatabase } = await import('./browserDatabase.ts')
    const one = await openBrowserDatabase(name, how)
    opened.push(one)
    return one.database
  }
  const closeOpened = async (): Promise<void> => {
    await Promise.all(opened.map((one) => one.close()))
  }
  try {
    let given = options as ChainOptions | undefined
    if (database !== undefined) {
      const isStrict = durability === 'disk'
      given = { ...given, database: await open(database, 'database', { isStrict }) }
    }
    if (typeof cache === 'string' && typeof indexedDB !== 'undefined') {
      const named = await open(cache, 'fork.cache', { isShared: true })
      given = { ...given, fork: { ...(fork as ForkOptions), cache: named } }
    }
    const chain = await create(given)
    return { chain, own: true, close: () => chain.close().finally(closeOpened) }
  } catch (error) {
    await closeOpened()
    throw error
  }
}

declare const indexedDB: object | undefined
