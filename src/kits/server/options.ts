/** The options of servers, with their defaults and checks. */

import { isLoopback } from '../../base/loopback.ts'
import {
  check,
  group,
  type OptionsInput,
  type OptionsValue,
  option,
  parseOptions,
} from '../../base/options/option.ts'
import { accept, boolean, integer, text } from '../../base/options/optionSchemas.ts'
import { PROVIDER_OPTIONS } from '../../base/options/providerOptions.ts'
import { type Schema, scalar } from '../../base/schema.ts'
import { access } from './access.ts'
import type { RateKey } from './rate.ts'
import type { Observe } from './requester.ts'

const port = integer(0, { most: 65_535 })

const host = text('a host name or an address')

/** A list with `'*'` is all, as the command line has no other form. */
function listOrAll(of: string): Schema<readonly string[] | '*', readonly string[] | '*'> {
  return scalar(`'*' or a list of ${of}`, (value) => {
    if (value === '*') return value
    if (!Array.isArray(value) || !value.every((one) => typeof one === 'string')) return undefined
    return value.includes('*') ? '*' : value
  })
}

const rateKey = accept<RateKey>('a function of a caller', (value) => typeof value === 'function')

const MESSAGE_OPTIONS = {
  /**
   * What requests may do: `'full'` everything; `'public'` what public nodes serve, so that all other methods get -32601
   * and there are no accounts; `{ debug: true }` also methods for operators of nodes (`debug`, `trace`, `txpool`). A
   * function decides for each request, by its method, params, headers and remote address; false refuses it.
   */
  access: option(access, { default: 'full' }),
  /**
   * How many requests a second a caller may send, each request of a batch counted, in real time; by default any number.
   * A message beyond it gets 429 with `Retry-After`, and on a WebSocket -32005.
   */
  requestsPerSecond: option(integer(1)),
  /**
   * Returns the key of a caller, from its headers and remote address; callers with the same key share their requests per
   * second. By default the remote address, which only `serve` knows.
   */
  rateKey: option(rateKey),
  /** How many requests a batch may have. A longer batch gets -32600. */
  maxBatch: option(integer(1), { default: 1000 }),
  /**
   * How many characters the answer to a batch may have before its remaining requests get -32003. The default is the
   * number of bytes that go-ethereum allows.
   */
  maxBatchResponseBytes: option(integer(1), { default: 25_000_000 }),
  /** How many requests may be in flight, each request of a batch counted. Further ones get -32005. */
  maxInFlight: option(integer(1), { default: 10_000 }),
}

/** The options of `createHandler`, which `serve` has too. */
export const HANDLER_OPTIONS = {
  /**
   * Host names, without port, that requests may be addressed to (`Host`), in addition to loopback; `'*'` for any. A
   * list keeps out remote pages whose host name resolves to this machine (DNS rebinding).
   */
  hosts: option(listOrAll('host names'), { default: '*' }),
  /**
   * Origins of pages that may send requests, such as `https://app.example`; `'*'` for any. Pages of all other origins
   * get 403. By default, pages on loopback and browser extensions are allowed. Clients that are no browsers send no
   * origin, and are always allowed.
   */
  origins: option(listOrAll('origins')),
  /**
   * How many bytes a request's body may have, as in go-ethereum. A longer one gets 413. `serve` closes a WebSocket that
   * receives a longer message, with code 1009.
   */
  maxBodyBytes: option(integer(1), { default: 5 * 1024 * 1024 }),
  /**
   * Whether requests may name the URL of a node to fork (`anvil_reset`, `anvil_setRpcUrl`). The chain's process connects
   * to this URL. If false, such requests get -32602.
   */
  forkUrls: option(boolean, { default: false }),
  ...MESSAGE_OPTIONS,
}

/** The options of `createConnection`, which `serve` has for each WebSocket. */
export const CONNECTION_OPTIONS = {
  ...MESSAGE_OPTIONS,
  /**
   * Whether requests may name the URL of a node to fork (`anvil_reset`, `anvil_setRpcUrl`). The chain's process connects
   * to this URL. If false, such requests get -32602.
   */
  forkUrls: option(boolean, { default: false }),
  /** How many subscriptions a connection may have. Further ones get -32005. */
  maxSubscriptions: option(integer(0), { default: 1000 }),
  /**
   * How many characters of notifications may wait for the answer that tells the client their subscription's id. Beyond
   * that, the connection is closed. The default exceeds `maxBatchResponseBytes`.
   */
  maxQueuedBytes: option(integer(1), { default: 32 * 1024 * 1024 }),
}

/** The options of a server. */
export const SERVE_OPTIONS = {
  /** Port of the standard view; 0 for any free one. If it is in use, `serve` throws a `PortInUseError`. */
  port: option(port, {
    default: 8545,
    flag: { value: 'PORT', help: 'port of the standard view, 0 for a free one' },
  }),
  /** Port of the preconf view; 0 for any free one. */
  preconfPort: option(port, {
    default: 8546,
    flag: { value: 'PORT', help: 'port of the preconf view, 0 for a free one' },
  }),
  /** The address to listen on. */
  host: option(host, {
    default: '127.0.0.1',
    flag: { value: 'HOST', help: 'address to listen on' },
  }),
  /** Ports for everyone, beside the two that control the chain: `access` is `'public'` there. Only with a port. */
  public: group({
    /** Port of the standard view; 0 for any free one. */
    port: option(port, {
      flag: {
        name: 'public-port',
        value: 'PORT',
        of: 'number',
        help: 'port of the standard view for everyone',
      },
    }),
    /** Port of the preconf view; 0 for any free one. */
    preconfPort: option(port, {
      flag: {
        name: 'public-preconf-port',
        value: 'PORT',
        of: 'number',
        help: 'port of the preconf view for everyone',
      },
    }),
    /** The address to listen on; by default as the other ports. */
    host: option(host, {
      flag: { name: 'public-host', value: 'HOST', help: 'address of the public ports; by default as --host' },
    }),
    /** Host names that requests may be addressed to; `'*'` for any. */
    hosts: option(listOrAll('host names'), { default: '*' }),
    /** Origins of pages that may send requests; `'*'` for any. By default as the other ports. */
    origins: option(listOrAll('origins'), {
      flag: {
        name: 'public-origins',
        value: 'ORIGINS',
        of: 'names',
        help: "origins of pages that may use the public ports, separated by commas, or '*'",
      },
    }),
    /** Requests per second of a caller on each public port; by default as the other ports. */
    requestsPerSecond: option(integer(1), {
      flag: {
        name: 'public-requests-per-second',
        value: 'N',
        of: 'number',
        help: 'requests per second of an address on a public port',
      },
    }),
    /** The key of a caller; by default as the other ports. */
    rateKey: option(rateKey),
  }),
  /** Provider options of the standard port. */
  standard: group(PROVIDER_OPTIONS),
  /** Provider options of the preconf port, such as `{ defaultBlock: 'pending', pendingNonce: 'pool' }`. */
  preconf: group(PROVIDER_OPTIONS),
  ...HANDLER_OPTIONS,
  ...CONNECTION_OPTIONS,
  /**
   * Host names that requests may be addressed to, in addition to loopback; `'*'` for any. By default only loopback, or
   * any if `host` is not a loopback address.
   */
  hosts: option(listOrAll('host names')),
  /**
   * Whether requests may name the URL of a node to fork (`anvil_reset`, `anvil_setRpcUrl`). The chain's process connects
   * to this URL. If false, such requests get -32602. By default true only if `host` is a loopback address.
   */
  forkUrls: option(boolean),
  /**
   * How many requests may be in flight on one WebSocket, and over HTTP on one port, each request of a batch counted.
   * Further ones get -32005.
   */
  maxInFlight: MESSAGE_OPTIONS.maxInFlight,
  /** How many connections a port may have, HTTP and WebSocket together. Further ones are refused. */
  maxConnections: option(integer(1), { default: 1000 }),
  /**
   * How many bytes may be queued on one WebSocket, plus 256 per message. The same limit holds for notifications that
   * wait until the answer with their subscription's id is sent. Beyond it, the socket is closed with code 1013 and a
   * reason. The chain never waits.
   */
  maxQueuedBytes: CONNECTION_OPTIONS.maxQueuedBytes,
  /**
   * How many bytes of answers and notifications may be unread on all connections of one port, plus 256 per message.
   * Beyond that, the connection with the most unread bytes is cut off before the next message is sent.
   */
  maxUnreadBytes: option(integer(1), { default: 256 * 1024 * 1024 }),
  /** How many milliseconds `close` waits for requests in flight. Requests that take longer fail with 4900. */
  closeTimeout: option(integer(0), { default: 1000 }),
}

/** The options of `createHandler`: limits of requests, and which pages may send them. */
export interface HandlerOptions extends OptionsInput<typeof HANDLER_OPTIONS> {}

/** The options of `createConnection`: limits of a connection. */
export interface ConnectionOptions extends OptionsInput<typeof CONNECTION_OPTIONS> {}

/** The options of `serve`, for both ports. */
export interface ServeOptions extends OptionsInput<typeof SERVE_OPTIONS> {}

/** Internal, not an option. */
interface Observed {
  readonly observe?: Observe | undefined
}

/** {@link HandlerOptions} with their defaults. */
export type HttpRules = OptionsValue<typeof HANDLER_OPTIONS> & Observed

/** {@link ConnectionOptions} with their defaults. */
export type ConnectionRules = OptionsValue<typeof CONNECTION_OPTIONS> & Observed

/** {@link ServeOptions} with their defaults. */
export type ServeRules = Omit<Served, 'hosts' | 'forkUrls' | 'public'> &
  Pick<HttpRules, 'hosts' | 'forkUrls' | 'observe'> & {
    readonly public: Omit<Served['public'], 'host'> & Pick<Served, 'host'>
  }

type Served = OptionsValue<typeof SERVE_OPTIONS>

/** Checks the options and fills in the defaults. @throws InvalidOptionError */
export function resolveServeOptions(options: ServeOptions = {}): ServeRules {
  const parsed = parseOptions(SERVE_OPTIONS, options)
  const { port, preconfPort, host, origins, requestsPerSecond, rateKey, public: open } = parsed
  const isOpen = open.port !== undefined || open.preconfPort !== undefined
  check(
    isOpen || Object.keys(options.public ?? {}).length === 0,
    'public.port',
    'a port, unless public.preconfPort is given',
  )
  checkPorts({ port, preconfPort, 'public.port': open.port, 'public.preconfPort': open.preconfPort })
  const isHere = isLoopback(host === '::1' ? '[::1]' : host)
  return {
    ...parsed,
    hosts: parsed.hosts ?? (isHere ? [] : '*'),
    forkUrls: parsed.forkUrls ?? isHere,
    public: {
      ...open,
      host: open.host ?? host,
      origins: open.origins ?? origins,
      requestsPerSecond: open.requestsPerSecond ?? requestsPerSecond,
      rateKey: open.rateKey ?? rateKey,
    },
  }
}

/** Checks that no two ports are the same, unless any free one is asked for. @throws InvalidOptionError */
function checkPorts(ports: Readonly<Record<string, number | undefined>>): void {
  const taken = new Map<number, string>()
  for (const [name, port] of Object.entries(ports)) {
    if (port === undefined || port === 0) continue
    const other = taken.get(port)
    check(other === undefined, name, `a port other than ${port}, the value of ${other}`)
    taken.set(port, name)
  }
}
