/** Instances for prool: each start creates a chain and serves it in this process. Owns: the chain and the server. */

import { EventEmitter } from 'eventemitter3'
import type { PresealChain } from '../../chain/handle.ts'
import type { ChainOptions } from '../../core/options.ts'
import { createChain } from '../../index.ts'
import { type ChainServer, serve } from '../server/index.ts'
import type { ServeOptions } from '../server/options.ts'

/**
 * Defines an instance for prool's `Server.create({ instance })` and `Pool.define({ instance })`. Each id in a pool gets
 * a new chain.
 *
 * @example
 * const server = Server.create({ instance: preseal({ chainId: 1 }) })
 * await server.start()
 */
export function preseal(parameters: InstanceParameters = {}, options: InstanceOptions = {}): PresealInstance {
  const create = ({ port = parameters.port ?? 8545 } = {}) => createInstance(parameters, options, port)
  return Object.assign(create(), { create })
}

function createInstance(
  parameters: InstanceParameters,
  { messageBuffer = 20 }: InstanceOptions,
  port: number,
): PoolInstance {
  const { host = '127.0.0.1', port: _, view = 'standard', serve: serveOptions, ...chainOptions } = parameters
  const initial: InstanceEndpoint = { host, port, protocol: 'http' }
  const endpoints: Record<string, InstanceEndpoint> & { default: InstanceEndpoint } = { default: initial }
  const events = new EventEmitter<InstanceEvent>()
  const chained =
    <Args extends readonly unknown[]>(act: (...args: Args) => unknown) =>
    (...args: Args): PoolInstance => {
      act(...args)
      return instance
    }
  let messages: string[] = []
  let status: InstanceStatus = 'idle'
  let running: { readonly chain: PresealChain; readonly server: ChainServer } | undefined
  let starting: Promise<() => void> | undefined
  let stopping: Promise<void> | undefined
  let restarting: Promise<void> | undefined

  const say = (message: string): void => {
    messages = [...messages, message].slice(-messageBuffer)
    events.emit('message', message)
  }
  const run = async (): Promise<() => void> => {
    status = 'starting'
    let chain: PresealChain | undefined
    try {
      chain = await createChain(chainOptions)
      const ports = view === 'standard' ? { port, preconfPort: 0 } : { port: 0, preconfPort: port }
      const server = await serve(chain, { ...serveOptions, host, ...ports })
      running = { chain, server }
      const standard = { ...initial, port: Number(new URL(server.url).port) }
      const preconf = { ...initial, port: Number(new URL(server.preconfUrl).port) }
      endpoints.default = view === 'standard' ? standard : preconf
      endpoints[view === 'standard' ? 'preconf' : 'standard'] = view === 'standard' ? preconf : standard
    } catch (error) {
      await chain?.close()
      status = 'idle'
      throw error
    }
    status = 'started'
    say(`Listening on ${instance.url}`)
    events.emit('listening')
    return () => void instance.stop()
  }
  const end = async (started: typeof starting): Promise<void> => {
    // A failed start cleans up after itself.
    await started?.catch(() => {})
    if (running === undefined) return
    const { chain, server } = running
    running = undefined
    status = 'stopping'
    await server.close()
    await chain.close()
    status = 'stopped'
    messages = []
    events.emit('exit', 0, null)
  }
  const instance: PoolInstance = {
    name: 'preseal',
    get host() {
      return endpoints.default.host
    },
    get port() {
      return endpoints.default.port
    },
    get url() {
      const { host: at, port: on } = endpoints.default
      return `http://${at.includes(':') ? `[${at}]` : at}:${on}`
    },
    endpoints,
    get status() {
      return restarting === undefined ? status : 'restarting'
    },
    get chain() {
      return running?.chain
    },
    _internal: undefined,
    messages: {
      clear() {
        messages = []
      },
      get: () => [...messages],
    },
    start() {
      if (starting !== undefined) return starting
      // A stop that is under way ends first.
      const started = stopping === undefined ? run() : stopping.then(run)
      starting = started
      // Allows a retry after a failed start.
      started.catch(() => {
        if (starting === started) starting = undefined
      })
      return started
    },
    stop() {
      if (stopping !== undefined && starting === undefined) return stopping
      const started = starting
      starting = undefined
      const stopped = end(started).finally(() => {
        if (stopping === stopped) stopping = undefined
      })
      stopping = stopped
      return stopped
    },
    restart() {
      restarting ??= instance
        .stop()
        .then(() => instance.start())
        .then(() => {})
        .finally(() => {
          restarting = undefined
        })
      return restarting
    },
    on: chained((event: InstanceEvent, listener: Listener) => events.on(event, listener)),
    addListener: chained((event: InstanceEvent, listener: Listener) => events.on(event, listener)),
    once: chained((event: InstanceEvent, listener: Listener) => events.once(event, listener)),
    off: chained((event: InstanceEvent, listener?: Listener) => events.off(event, listener)),
    removeListener: chained((event: InstanceEvent, listener?: Listener) => events.off(event, listener)),
    removeAllListeners: chained((event?: InstanceEvent) => events.removeAllListeners(event)),
  }
  return instance
}

// The shapes of prool's instances, declared here so that users of the types need not install prool.

/** The address of a view. */
export interface InstanceEndpoint {
  readonly host: string
  /** Until the instance has started, the requested port: 0 for any free port. */
  readonly port: number
  readonly protocol: 'http'
}

/** The events of an instance. `exit` follows a stop; `stderr` and `stdout` are never emitted. */
export type InstanceEvent = 'exit' | 'listening' | 'message' | 'stderr' | 'stdout'

/** The state of an instance: `idle` before the first start, and after a start that failed. */
export type InstanceStatus = 'idle' | 'restarting' | 'stopped' | 'starting' | 'started' | 'stopping'

/** The options of each instance's chain and server. */
export interface InstanceParameters extends ChainOptions {
  /** The address to listen on; by default `127.0.0.1`. */
  readonly host?: string | undefined
  /** The port of the view, unless prool's pool chooses one; by default 8545. */
  readonly port?: number | undefined
  /** The view on the port, to which prool's server passes requests; by default `standard`. */
  readonly view?: 'standard' | 'preconf' | undefined
  /** Further options of the server. */
  readonly serve?: Omit<ServeOptions, 'host' | 'port' | 'preconfPort'> | undefined
}

/** Options of an instance that do not concern its chain. */
export interface InstanceOptions {
  /** The number of messages kept; by default 20. */
  readonly messageBuffer?: number | undefined
}

/** A chain with its server, as prool's pools and servers use it. */
export interface PoolInstance {
  readonly name: 'preseal'
  readonly host: string
  readonly port: number
  /** The URL of the default endpoint. */
  readonly url: string
  /** `default` is the chosen view. Once the instance has started, its second view is listed by name, on a free port. */
  readonly endpoints: Readonly<Record<string, InstanceEndpoint | undefined>> & {
    readonly default: InstanceEndpoint
  }
  readonly status: InstanceStatus
  /** The chain in this process; undefined unless started. */
  readonly chain: PresealChain | undefined
  readonly _internal: undefined
  readonly messages: { clear(): void; get(): string[] }
  /** Creates a chain and serves it. Returns a function that stops it. @throws PortInUseError, errors of `createChain` */
  start(): Promise<() => void>
  /** Closes the server and the chain. */
  stop(): Promise<void>
  /** Stops, and starts with a new chain. */
  restart(): Promise<void>
  on(event: InstanceEvent, listener: Listener): Chained
  once(event: InstanceEvent, listener: Listener): Chained
  off(event: InstanceEvent, listener?: Listener): Chained
  addListener(event: InstanceEvent, listener: Listener): Chained
  removeListener(event: InstanceEvent, listener?: Listener): Chained
  removeAllListeners(event?: InstanceEvent): Chained
}

/** An instance that is also a definition: prool calls `create` for each instance of a pool. */
export interface PresealInstance extends PoolInstance {
  create(parameters?: { port?: number | undefined }): PoolInstance
}

// biome-ignore lint/suspicious/noExplicitAny: every event has other values
type Listener = (...values: any[]) => void

// biome-ignore lint/suspicious/noExplicitAny: the instance itself, which prool declares as an emitter of eventemitter3
type Chained = any
