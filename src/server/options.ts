/** What servers take and refuse: the options, their defaults, and their checks. */
import { check, isInteger } from '../config/optionChecks.ts'
import type { ProviderOptions } from '../config/providerOptions.ts'
import { isLoopback } from './access.ts'
import type { MessageLimits } from './envelope.ts'
import type { HttpRules } from './http.ts'

/** What a handler takes of a request, and from whom. */
export interface HandlerOptions {
  /**
   * Names a request may be addressed to (its `Host`), without port and beside those of loopback, or '*' for any: what
   * keeps a page elsewhere out that had its own name resolve to this machine. '*'.
   */
  readonly hosts?: readonly string[] | '*' | undefined
  /**
   * Pages that requests may come from, by their origin such as `https://app.example`, or '*' for any; every other page
   * gets 403. What is no browser sends no origin, and is let in. Pages on loopback, and browser extensions.
   */
  readonly origins?: readonly string[] | '*' | undefined
  /** Bytes of a request's body, 5 MiB as go-ethereum's; beyond it 413. */
  readonly maxBodyBytes?: number | undefined
  /** Requests of a batch, 1000. */
  readonly maxBatch?: number | undefined
  /** Bytes of a batch's answer, 25,000,000 as go-ethereum's; the requests after that are answered with -32003. */
  readonly maxBatchResponseBytes?: number | undefined
  /** Requests in flight at the same time, those of batches counted singly, 10,000; beyond it -32005. */
  readonly maxInFlight?: number | undefined
}

/** What a connection takes. */
export interface ConnectionOptions {
  /** Requests of a batch, 1000. */
  readonly maxBatch?: number | undefined
  /** Bytes of a batch's answer, 25,000,000 as go-ethereum's; the requests after that are answered with -32003. */
  readonly maxBatchResponseBytes?: number | undefined
  /** Requests in flight at the same time, those of batches counted singly, 10,000; beyond it -32005. */
  readonly maxInFlight?: number | undefined
  /** Subscriptions at the same time, 1000. */
  readonly maxSubscriptions?: number | undefined
  /**
   * Bytes of notifications that wait for the answer which names their subscription, 32 MiB: where a batch takes longer
   * than that to be answered, the connection is closed.
   */
  readonly maxQueuedBytes?: number | undefined
}

/** How a chain is served: the options of both ports. */
export interface ServeOptions extends HandlerOptions, ConnectionOptions {
  /**
   * Requests in flight at the same time, of one WebSocket, or of all that come by HTTP to one port; those of batches
   * are counted singly. 10,000; beyond it -32005.
   */
  readonly maxInFlight?: number | undefined
  /** Port of the standard view, 8545; 0 for one that is free. */
  readonly port?: number | undefined
  /** Port of the preconf view, 8546; 0 for one that is free. */
  readonly preconfPort?: number | undefined
  /** The address to listen on, '127.0.0.1'. */
  readonly host?: string | undefined
  /**
   * Names a request may be addressed to, beside those of loopback, or '*' for any. None; '*' where `host` is not an
   * address of loopback.
   */
  readonly hosts?: readonly string[] | '*' | undefined
  /** How unnamed and pending things are read on the standard port. */
  readonly standard?: ProviderOptions | undefined
  /** The same on the preconf port, such as `{ defaultBlock: 'pending', pendingNonce: 'pool' }`. */
  readonly preconf?: ProviderOptions | undefined
  /** Connections of each port, HTTP and WebSocket together, 1000; one more is turned away. */
  readonly maxConnections?: number | undefined
  /**
   * Bytes that wait to be sent on one WebSocket, be it for an answer that goes before them, 32 MiB: who reads more
   * slowly than that is dropped with code 1013 and a reason, and nobody else waits.
   */
  readonly maxQueuedBytes?: number | undefined
  /** Milliseconds that `close` gives requests in flight, 1000; then they end with 4900. */
  readonly closeTimeout?: number | undefined
}

/** {@link ConnectionOptions} with their defaults. */
export type ConnectionRules = {
  readonly [Name in keyof ConnectionOptions]-?: Exclude<ConnectionOptions[Name], undefined>
}

/** {@link ServeOptions} with their defaults. */
export interface ServeRules extends HttpRules, ConnectionRules {
  readonly port: number
  readonly preconfPort: number
  readonly host: string
  readonly maxConnections: number
  readonly closeTimeout: number
}

/** @throws InvalidOptionError */
export function resolveServeOptions(options: ServeOptions = {}): ServeRules {
  const { port = 8545, preconfPort = 8546, host = '127.0.0.1' } = options
  const { maxConnections = 1000, closeTimeout = 1000 } = options
  check(isPort(port), 'port', A_PORT)
  check(isPort(preconfPort), 'preconfPort', A_PORT)
  check(port === 0 || port !== preconfPort, 'preconfPort', 'another port than port')
  check(typeof host === 'string' && host !== '', 'host', 'a host name or an address')
  check(isInteger(maxConnections, 1), 'maxConnections', ABOVE_ZERO)
  check(isInteger(closeTimeout, 0), 'closeTimeout', FROM_ZERO)
  const hosts = options.hosts ?? (isLoopback(host === '::1' ? '[::1]' : host) ? [] : '*')
  return {
    ...resolveHandlerOptions({ ...options, hosts }),
    ...resolveConnectionOptions(options),
    port,
    preconfPort,
    host,
    maxConnections,
    closeTimeout,
  }
}

/** @throws InvalidOptionError */
export function resolveHandlerOptions(options: HandlerOptions = {}): HttpRules {
  const { hosts = '*', origins, maxBodyBytes = MAX_BODY_BYTES } = options
  check(isListOrAll(hosts), 'hosts', "'*' or a list of host names")
  check(origins === undefined || isListOrAll(origins), 'origins', "'*' or a list of origins")
  check(isInteger(maxBodyBytes, 1), 'maxBodyBytes', ABOVE_ZERO)
  const maxInFlight = resolveMaxInFlight(options)
  return { ...resolveMessageLimits(options), maxInFlight, hosts, origins, maxBodyBytes }
}

/** @throws InvalidOptionError */
export function resolveConnectionOptions(options: ConnectionOptions = {}): ConnectionRules {
  const { maxSubscriptions = 1000, maxQueuedBytes = MAX_QUEUED_BYTES } = options
  check(isInteger(maxSubscriptions, 0), 'maxSubscriptions', FROM_ZERO)
  check(isInteger(maxQueuedBytes, 1), 'maxQueuedBytes', ABOVE_ZERO)
  const maxInFlight = resolveMaxInFlight(options)
  return { ...resolveMessageLimits(options), maxInFlight, maxSubscriptions, maxQueuedBytes }
}

function resolveMessageLimits(options: Pick<ConnectionOptions, keyof MessageLimits>): MessageLimits {
  const { maxBatch = 1000, maxBatchResponseBytes = 25_000_000 } = options
  check(isInteger(maxBatch, 1), 'maxBatch', ABOVE_ZERO)
  check(isInteger(maxBatchResponseBytes, 1), 'maxBatchResponseBytes', ABOVE_ZERO)
  return { maxBatch, maxBatchResponseBytes }
}

function resolveMaxInFlight({ maxInFlight = 10_000 }: Pick<ConnectionOptions, 'maxInFlight'>): number {
  check(isInteger(maxInFlight, 1), 'maxInFlight', ABOVE_ZERO)
  return maxInFlight
}

const MAX_BODY_BYTES = 5 * 1024 * 1024
/** More than the longest answer to a batch, so that it is no reason to drop who asked for it. */
const MAX_QUEUED_BYTES = 32 * 1024 * 1024

const ABOVE_ZERO = 'an integer above 0'
const FROM_ZERO = 'an integer from 0 on'
const A_PORT = 'an integer from 0 to 65535'

function isPort(value: unknown): boolean {
  return isInteger(value, 0) && (value as number) <= 65_535
}

function isListOrAll(value: unknown): boolean {
  return value === '*' || (Array.isArray(value) && value.every((one) => typeof one === 'string'))
}
