/** The shapes of prool's instances, written here so that prool need not be installed where they are declared. */

import type { ChainOptions } from '../../base/options/options.ts'
import type { PresealChain } from '../../chain/handle.ts'
import type { ServeOptions } from '../server/options.ts'

/** Where a view is served. */
export interface InstanceEndpoint {
  readonly host: string
  /** 0 for any free one, until the instance has started. */
  readonly port: number
  readonly protocol: 'http'
}

/** The events of an instance; `exit` follows a stop. */
export type InstanceEvent = 'exit' | 'listening' | 'message' | 'stderr' | 'stdout'

/** What an instance does now. */
export type InstanceStatus = 'idle' | 'restarting' | 'stopped' | 'starting' | 'started' | 'stopping'

/** The options of each instance's chain, and of its server. */
export interface InstanceParameters extends ChainOptions {
  /** The address to listen on; by default `127.0.0.1`. */
  readonly host?: string | undefined
  /** The port of the view, unless prool's pool chooses one; by default 8545. */
  readonly port?: number | undefined
  /** The view that is served on the port, and that prool's server passes requests to; by default `standard`. */
  readonly view?: 'standard' | 'preconf' | undefined
  /** Further options of the server. */
  readonly serve?: Omit<ServeOptions, 'host' | 'port' | 'preconfPort'> | undefined
}

/** Options of an instance that have nothing to do with its chain. */
export interface InstanceOptions {
  /** How many messages are kept; by default 20. */
  readonly messageBuffer?: number | undefined
}

/** One chain with its server, as prool's pools and servers use it. */
export interface PoolInstance {
  readonly name: 'preseal'
  readonly host: string
  readonly port: number
  /** The URL of the default endpoint. */
  readonly url: string
  /** The view that was chosen as `default`, and once the instance has started the other one by its name, on a free port. */
  readonly endpoints: Readonly<Record<string, InstanceEndpoint | undefined>> & {
    readonly default: InstanceEndpoint
  }
  readonly status: InstanceStatus
  /** The chain in this process; undefined unless the instance has started. */
  readonly chain: PresealChain | undefined
  readonly _internal: undefined
  readonly messages: { clear(): void; get(): string[] }
  /**
   * Starts a new chain and serves it; resolves to a function that stops it.
   *
   * @throws PortInUseError, InvalidOptionError, and what `createChain` throws; nothing is left running then.
   */
  start(): Promise<() => void>
  /** Closes the server and the chain. */
  stop(): Promise<void>
  /** Stops, and starts with another chain. */
  restart(): Promise<void>
  on(event: InstanceEvent, listener: Listener): Chained
  once(event: InstanceEvent, listener: Listener): Chained
  off(event: InstanceEvent, listener?: Listener): Chained
  addListener(event: InstanceEvent, listener: Listener): Chained
  removeListener(event: InstanceEvent, listener?: Listener): Chained
  removeAllListeners(event?: InstanceEvent): Chained
}

/** An instance definition: `create` makes the instances of a pool. */
export interface PresealInstance extends PoolInstance {
  create(parameters?: { port?: number | undefined }): PoolInstance
}

// biome-ignore lint/suspicious/noExplicitAny: every event has other values
export type Listener = (...values: any[]) => void

// biome-ignore lint/suspicious/noExplicitAny: the instance itself, which prool declares as an emitter of eventemitter3
export type Chained = any
