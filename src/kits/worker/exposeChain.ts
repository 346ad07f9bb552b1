/**
 * The worker's side: a chain for every page that connects at an endpoint.
 *
 * Owns: the channels of the pages, their listeners, and the chains created for them. Does not own a chain passed to it.
 */

import { throwLater, toError } from '../../base/emitter.ts'
import type { ManualClock } from '../../base/manualClock.ts'
import type { FaultPreset, FaultSettings } from '../../base/options/faultSettings.ts'
import { check } from '../../base/options/option.ts'
import type { ImportOptions, ReorgRequest, RetractRequest } from '../../base/options/requests.ts'
import type { Hash, Hex } from '../../base/types.ts'
import { callCheat, forwardCheats } from '../../chain/cheatMethods.ts'
import type { PresealChain } from '../../chain/handle.ts'
import { DisconnectedError } from '../../core/sequencer/errors.ts'
import type { ExplainCall, ExplainOptions } from '../../inspect/explain/tree.ts'
import type { Provider } from '../../rpc/provider.ts'
import { carry, carryError } from './errorMessages.ts'
import {
  ALWAYS_FORWARDED,
  awaitAbsence,
  CHAIN,
  CHAIN_CHANGED,
  CHAIN_CLOSED,
  type ConnectRequest,
  type ConnectResponse,
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
import {
  type ChainFactory,
  createServedChain,
  type RemoteChainOptions,
  type ServedChain,
} from './servedChain.ts'

/**
 * Lets pages use a chain that runs in this worker; {@link connectChain} is the page's side. Pages may connect before
 * this is called.
 *
 * If `source` is a chain, all pages share it, and it outlives them. If it is a function, such as `createChain` itself,
 * it is called for each page with the options that the page sent, and the resulting chain is closed with the page's
 * connection. If the options name a database, the worker opens it, and closes it after the chain.
 *
 * @param endpoint - where pages connect: the scope of a dedicated worker, which is the default, or a `MessagePort`,
 *   such as those that a shared worker receives by `connect` events.
 * @returns a function that ends it: pages are disconnected, and no further page can connect.
 * @throws InvalidOptionError if `source` is neither a chain nor a function, or if `endpoint` cannot
 *   exchange messages, or is a window, where messages arrive from any page.
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
  /** The requests that have no answer yet. */
  const welcoming = new Set<Promise<void>>()
  // From now on a page sees when the worker is terminated.
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
        // Ended last, so that the page handles the messages posted before.
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
    // Ended last, so that pages handle the answers posted before.
    void Promise.all([showing, ...welcoming]).then(([shown]) => shown?.end())
  }
}

/** A chain, or one of its connections, as a page uses it. */
interface Source {
  readonly calls: Readonly<Record<string, (...args: never[]) => unknown>>
  /** The event that is always sent to its page. */
  readonly alwaysSent: string
  on(event: string, listener: Listener): void
  off(event: string, listener: Listener): void
  close(): void
}

type Listener = (...values: unknown[]) => void

/** A source, and the events that a page listens to. */
interface Opened {
  readonly source: Source
  readonly listeners: Map<string, Listener>
}

/** The channel of one page. */
class Session {
  readonly #chain: PresealChain
  readonly #port: Port
  readonly #opened = new Map<Target, Opened>()
  readonly #onEnd: () => void
  #ended = false

  constructor(served: ServedChain, port: Port, onEnd: () => void) {
    this.#chain = served.chain
    this.#port = port
    this.#onEnd = onEnd
    this.#open(CHAIN, toChainSource(served))
    port.addEventListener('message', ({ data }: { readonly data: FromPage }) => this.#receive(data))
    // Some hosts emit this if the page has gone without a last message.
    port.addEventListener('close', () => this.end())
    port.start()
  }

  /** Ends the page's connections, and its chain if it was made for this page. */
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
      const { view, options } = message
      const { dialect, ...rest } = options
      this.#open(
        target,
        toProviderSource(this.#chain.provider(view, { ...rest, ...(dialect && { dialect }) })),
      )
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
    // Before its listeners are removed, so that the page receives `disconnect`.
    source.close()
    for (const [event, listener] of listeners) source.off(event, listener)
  }

  #post(message: FromWorker): void {
    if (!this.#ended) this.#port.postMessage(message, [])
  }
}

function toChainSource({ chain, own, close }: ServedChain): Source {
  const calls: Record<RemoteCall, (...args: never[]) => unknown> = {
    ...forwardCheats((name, args) => callCheat(chain, name, args)),
    start: () => chain.start(),
    stop: () => chain.stop(),
    tick: () => chain.tick(),
    seal: () => chain.seal(),
    importBlocks: (bytes: Uint8Array, options?: ImportOptions) => chain.importBlocks(bytes, options),
    export: () => chain.export(),
    explain: (target: Hash | ExplainCall, options?: ExplainOptions) => chain.explain(target, options),
    snapshot: () => chain.snapshot(),
    revert: (id: Hex) => chain.revert(id),
    reorg: (request: ReorgRequest) => chain.reorg(request),
    retract: (request: RetractRequest) => chain.retract(request),
    reopenDatabase: () => chain.reopenDatabase(),
    missedTicks: () => chain.missedTicks,
    currentFaults: () => chain.faults.current,
    setFaults: (faults: FaultPreset | FaultSettings) => chain.faults.set(faults),
    clearFaults: () => chain.faults.clear(),
    // Under any other clock this rejects, and the page gets the error.
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
      // The page has gone and cannot receive the error.
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
