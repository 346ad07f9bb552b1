/** What servers accept and refuse: the options, their defaults and their checks. */
import { check, group, type OptionsInput, type OptionsValue, option, parseOptions } from '../config/option.ts'
import { integer, text } from '../config/optionSchemas.ts'
import { PROVIDER_OPTIONS } from '../config/providerOptions.ts'
import { type Schema, scalar } from '../primitives/schema.ts'
import { isLoopback } from './access.ts'

const ABOVE_ZERO = 'an integer above 0'

const port = integer(0, { most: 65_535 })

/** A list of names, or '*' for any. */
function listOrAll(of: string): Schema<readonly string[] | '*', readonly string[] | '*'> {
  return scalar(`'*' or a list of ${of}`, (value) =>
    value === '*' || (Array.isArray(value) && value.every((one) => typeof one === 'string'))
      ? (value as readonly string[] | '*')
      : undefined,
  )
}

/** What of a message is answered. */
const MESSAGE_OPTIONS = {
  /** Requests of a batch. */
  maxBatch: option(integer(1, { expected: ABOVE_ZERO }), { default: 1000 }),
  /** Bytes of a batch's answer, as go-ethereum's; the requests after that are answered with -32003. */
  maxBatchResponseBytes: option(integer(1, { expected: ABOVE_ZERO }), { default: 25_000_000 }),
  /** Requests in flight at the same time, those of batches counted singly; beyond it -32005. */
  maxInFlight: option(integer(1, { expected: ABOVE_ZERO }), { default: 10_000 }),
}

const HANDLER_OPTIONS = {
  /**
   * Names a request may be addressed to (its `Host`), without port and beside those of loopback, or `'*'` for any: this
   * keeps out a page elsewhere that had its own name resolve to this machine.
   */
  hosts: option(listOrAll('host names'), { default: '*' }),
  /**
   * Pages that requests may come from, by their origin such as `https://app.example`, or `'*'` for any; every other page
   * gets 403. A client that is no browser sends no origin, and is let in. By default pages on loopback, and browser
   * extensions.
   */
  origins: option(listOrAll('origins')),
  /** Bytes of a request's body, as go-ethereum's; beyond it 413. */
  maxBodyBytes: option(integer(1, { expected: ABOVE_ZERO }), { default: 5 * 1024 * 1024 }),
  ...MESSAGE_OPTIONS,
}

const CONNECTION_OPTIONS = {
  ...MESSAGE_OPTIONS,
  /** Subscriptions of one connection at the same time; beyond it -32005. */
  maxSubscriptions: option(integer(0), { default: 1000 }),
  /**
   * Bytes of notifications that wait for the answer which names their subscription: if a batch takes longer than that
   * to be answered, the connection is closed. More than the longest answer to a batch.
   */
  maxQueuedBytes: option(integer(1, { expected: ABOVE_ZERO }), { default: 32 * 1024 * 1024 }),
}

/** Every option of a server. */
export const SERVE_OPTIONS = {
  /** Port of the standard view; 0 for one that is free. One that is taken ends in a `PortInUseError`. */
  port: option(port, {
    default: 8545,
    flag: { value: 'PORT', help: 'port of the standard view, 0 for one that is free' },
  }),
  /** Port of the preconf view; 0 for one that is free. */
  preconfPort: option(port, {
    default: 8546,
    flag: { value: 'PORT', help: 'port of the preconf view, 0 for one that is free' },
  }),
  /** The address to listen on. */
  host: option(text('a host name or an address'), {
    default: '127.0.0.1',
    flag: { value: 'HOST', help: 'address to listen on' },
  }),
  /** How unnamed and pending things are read on the standard port. */
  standard: group(PROVIDER_OPTIONS),
  /** The same on the preconf port, such as `{ defaultBlock: 'pending', pendingNonce: 'pool' }`. */
  preconf: group(PROVIDER_OPTIONS),
  ...HANDLER_OPTIONS,
  ...CONNECTION_OPTIONS,
  /**
   * Names a request may be addressed to, beside those of loopback, or `'*'` for any. By default none; `'*'` if `host` is
   * not an address of loopback.
   */
  hosts: option(listOrAll('host names')),
  /**
   * Requests in flight at the same time, of one WebSocket, or of all that come by HTTP to one port; those of batches
   * are counted singly. Beyond it -32005.
   */
  maxInFlight: MESSAGE_OPTIONS.maxInFlight,
  /** Connections of each port, HTTP and WebSocket together; one more is turned away. */
  maxConnections: option(integer(1, { expected: ABOVE_ZERO }), { default: 1000 }),
  /**
   * Bytes that wait to be sent on one WebSocket, be it for an answer that goes before them: one that is read more slowly
   * is dropped with code 1013 and a reason, and the chain never waits.
   */
  maxQueuedBytes: CONNECTION_OPTIONS.maxQueuedBytes,
  /** Milliseconds that `close` gives requests in flight; then they end with 4900. */
  closeTimeout: option(integer(0), { default: 1000 }),
}

/** What a handler accepts of a request, and from which pages. */
export interface HandlerOptions extends OptionsInput<typeof HANDLER_OPTIONS> {}

/** What a connection accepts. */
export interface ConnectionOptions extends OptionsInput<typeof CONNECTION_OPTIONS> {}

/** How a chain is served: the options of both ports. */
export interface ServeOptions extends OptionsInput<typeof SERVE_OPTIONS> {}

/** {@link HandlerOptions} with their defaults. */
export type HttpRules = OptionsValue<typeof HANDLER_OPTIONS>

/** {@link ConnectionOptions} with their defaults. */
export type ConnectionRules = OptionsValue<typeof CONNECTION_OPTIONS>

/** {@link ServeOptions} with their defaults. */
export type ServeRules = Omit<OptionsValue<typeof SERVE_OPTIONS>, 'hosts'> & Pick<HttpRules, 'hosts'>

/** @throws InvalidOptionError */
export function resolveServeOptions(options: ServeOptions = {}): ServeRules {
  const parsed = parseOptions(SERVE_OPTIONS, options)
  const { port, preconfPort, host } = parsed
  check(port === 0 || port !== preconfPort, 'preconfPort', 'another port than port')
  return { ...parsed, hosts: parsed.hosts ?? (isLoopback(host === '::1' ? '[::1]' : host) ? [] : '*') }
}

/** @throws InvalidOptionError */
export function resolveHandlerOptions(options: HandlerOptions = {}): HttpRules {
  return parseOptions(HANDLER_OPTIONS, options)
}

/** @throws InvalidOptionError */
export function resolveConnectionOptions(options: ConnectionOptions = {}): ConnectionRules {
  return parseOptions(CONNECTION_OPTIONS, options)
}
