/**
 * Instances of prool: each start makes a chain and serves it, in this process.
 *
 * Owns: the chain, the server and the listeners of each instance.
 */
import { EventEmitter } from 'eventemitter3'
import type { PresealChain } from '../../chain/handle.ts'
import { createChain } from '../../index.ts'
import { type ChainServer, serve } from '../server/index.ts'
import type {
  InstanceEndpoint,
  InstanceEvent,
  InstanceOptions,
  InstanceParameters,
  InstanceStatus,
  Listener,
  PoolInstance,
  PresealInstance,
} from './types.ts'

/**
 * Defines an instance for prool's `Server.create({ instance })` and `Pool.define({ instance })`: each id gets a chain of its own.
 *
 * @example
 * const server = Server.create({ instance: preseal({ chainId: 1 }) })
 * await server.start()
 */
export function preseal(parameters: InstanceParameters = {}, options: InstanceOptions = {}): PresealInstance {
  const create = ({ port = parameters.port ?? 8545 } = {}) => createInstance(parameters, options, port)
  return Object.assign(create(), { create })
}

/** What runs while an instance has started. */
interface Running {
  readonly chain: PresealChain
  readonly server: ChainServer
}

function createInstance(
  {
    host = '127.0.0.1',
    port: _port,
    view = 'standard',
    serve: serveOptions,
    ...chainOptions
  }: InstanceParameters,
  { messageBuffer = 20 }: InstanceOptions,
  port: number,
): PoolInstance {
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
  let running: Running | undefined
  let starting: Promise<() => void> | undefined
  let stopping: Promise<void> | undefined
  let restarting: Promise<void> | undefined

  const say = (message: string): void => {
    messages = [...messages, message].slice(-messageBuffer)
    events.emit('message', message)
  }
  const run = async (): Promise<() => void> => {
    status = 'starting'
    try {
      const chain = await createChain(chainOptions)
      try {
        const ports = view === 'standard' ? { port, preconfPort: 0 } : { port: 0, preconfPort: port }
        const server = await serve(chain, { ...serveOptions, host, ...ports })
        running = { chain, server }
        const standard = { ...initial, port: Number(new URL(server.url).port) }
        const preconf = { ...initial, port: Number(new URL(server.preconfUrl).port) }
        endpoints.default = view === 'standard' ? standard : preconf
        endpoints[view === 'standard' ? 'preconf' : 'standard'] = view === 'standard' ? preconf : standard
      } catch (error) {
        await chain.close()
        throw error
      }
    } catch (error) {
      status = 'idle'
      throw error
    }
    status = 'started'
    say(`Listening on ${instance.url}`)
    events.emit('listening')
    return () => void instance.stop()
  }
  const end = async (started: typeof starting): Promise<void> => {
    // What was started only in part has ended by itself.
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
      // A stop that was asked for before comes first.
      const started = stopping === undefined ? run() : stopping.then(run)
      starting = started
      // A failed start can be tried again.
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
