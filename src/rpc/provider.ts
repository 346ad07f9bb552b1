/**
 * An EIP-1193 provider on one view: requests in, results and events out.
 *
 * Owns: one connection's subscriptions, filters, permissions and listeners. The error boundary: whatever a method
 * throws leaves as an error with a JSON-RPC code.
 */
import { quantity } from '../primitives/bytes.ts'
import { Emitter, toError } from '../primitives/emitter.ts'
import { RpcError } from '../primitives/errors.ts'
import type { Address, Hex } from '../primitives/types.ts'
import { turnBeforeAnswer } from '../primitives/yielder.ts'
import { DisconnectedError } from '../sequencer/errors.ts'
import type { View } from '../view/view.ts'
import { type DialectRules, inDialect } from './dialect.ts'
import { InternalError, InvalidRequestError, MethodNotFoundError } from './errors.ts'
import type { Method, RpcContext, RunnableMethod } from './method.ts'
import { parseParams } from './params/parseParams.ts'
import { createClosing, type RpcServices } from './services.ts'
import { Filters } from './subscriptions/filters.ts'
import { type Notifications, notificationsOf } from './subscriptions/notifications.ts'
import { Subscriptions } from './subscriptions/subscriptions.ts'
import { METHODS, type RpcSchema } from './table.ts'
import { Permissions } from './wallet/permissions.ts'

/** A message of a subscription (EIP-1193). */
export interface ProviderMessage {
  readonly type: 'eth_subscription'
  readonly data: { readonly subscription: Hex; readonly result: unknown }
}

/** What a provider is connected to (EIP-1193). */
export interface ProviderConnectInfo {
  readonly chainId: Hex
}

/** What a provider emits (EIP-1193). */
export interface ProviderEvents {
  /**
   * Once, right after the provider was made: a listener that is added at once hears it. If the chain is closed
   * already, `disconnect` is emitted in its place.
   */
  connect: (info: ProviderConnectInfo) => void
  /** What `eth_chainId` answers from now on; without a cheat it never changes. */
  chainChanged: (chainId: Hex) => void
  /** What `eth_accounts` answers from now on, where requests have changed it. */
  accountsChanged: (accounts: Address[]) => void
  message: (message: ProviderMessage) => void
  disconnect: (error: RpcError) => void
}

/** The arguments of a request to one of the methods of the table. */
export type RequestArguments<Name extends keyof RpcSchema> = {
  readonly method: Name
} & ([] extends RpcSchema[Name]['params']
  ? { readonly params?: Readonly<RpcSchema[Name]['params']> }
  : { readonly params: Readonly<RpcSchema[Name]['params']> })

/** An EIP-1193 provider; `request` is typed by method name, and takes any other name too. */
export interface Provider {
  /**
   * Answers one request. Params are never altered, and results lead nowhere back into the chain.
   *
   * @throws RpcError with a JSON-RPC code: -32601 for a method the view lacks, -32602 for parameters of another form,
   *   4900 after `close`.
   * @example
   * const balance = await chain.preconf.request({ method: 'eth_getBalance', params: [address, 'pending'] })
   */
  request<Name extends keyof RpcSchema>(args: RequestArguments<Name>): Promise<RpcSchema[Name]['result']>
  request(args: { readonly method: string; readonly params?: unknown }): Promise<unknown>
  /** Listens to `connect`, `chainChanged`, `accountsChanged`, `message` and `disconnect` (EIP-1193). */
  on<Event extends keyof ProviderEvents>(event: Event, listener: ProviderEvents[Event]): this
  on(event: string, listener: (...values: unknown[]) => void): this
  /** Takes a listener off. */
  removeListener<Event extends keyof ProviderEvents>(event: Event, listener: ProviderEvents[Event]): this
  removeListener(event: string, listener: (...values: unknown[]) => void): this
  /** Whether the connection has ended, by {@link Provider.close} or with the chain. */
  readonly closed: boolean
  /** Ends the connection: its subscriptions and filters, and every request that still waits, with 4900. */
  close(): void
}

/** Whom a provider tells of what its requests do not. */
export interface ProviderReports {
  /** A listener threw. */
  onListenerError(error: Error): void
  /** A request ended with an error of this library's own; its caller gets the error too. */
  onInternalError(error: Error): void
}

type Reject = (error: Error) => void

/** Connects a provider to a view. */
export function createProvider(
  view: View,
  dialect: DialectRules,
  services: RpcServices,
  reports: ProviderReports,
): Provider {
  const emitter = new Emitter<ProviderEvents>(reports.onListenerError)
  const notifications = new Emitter<Notifications>(reports.onListenerError)
  const subscriptions = new Subscriptions(view, dialect, services.read, (subscription, emission) => {
    notifications.emit('notification', subscription, emission)
    // An object is made for those alone who look at it.
    if (emitter.count('message') === 0) return
    const data = { subscription, result: emission.value() }
    emitter.emit('message', { type: 'eth_subscription', data })
  })
  const filters = new Filters(view, dialect, services.read)
  const permissions = new Permissions(services.send.signers, (accounts) => {
    emitter.emit('accountsChanged', accounts)
  })
  const tellChain = (chainId: bigint) => emitter.emit('chainChanged', quantity(chainId))
  services.read.events.on('chainChanged', tellChain)
  const waiting = new Set<Reject>()
  const closing = createClosing()
  let closed = false
  /** Whether `connect` was emitted, or `disconnect` in its place: before that there is no listener to be told. */
  let introduced = false
  // Set below: where the chain is closed already, so is the provider before it has begun to listen.
  let stopListening = () => {}

  const answer = async (args: unknown): Promise<unknown> => {
    const { name, params } = readRequest(args)
    const method = findMethod(name)
    if (!isServed(method, view, dialect)) throw new MethodNotFoundError(name)
    const values = parseParams(method.bare ? listed(params) : params, method.params)
    const context: RpcContext = {
      viewed: view.capture(),
      view,
      ...services,
      dialect,
      filters,
      subscriptions,
      permissions,
      closed: closing,
    }
    return method.handler(context, ...(values as never[]))
  }

  /** Answers what waits as `request`, when it is time to. */
  const endRequest = <Value>(request: Reject, end: (value: Value) => void, value: Value): void => {
    const turn = turnBeforeAnswer()
    if (turn !== undefined) {
      turn.then(() => endRequest(request, end, value))
      return
    }
    waiting.delete(request)
    end(value)
  }

  const close = (): void => {
    if (closed) return
    closed = true
    stopListening()
    closing.close()
    subscriptions.clear()
    filters.clear()
    permissions.close()
    services.read.events.off('chainChanged', tellChain)
    const error = new DisconnectedError()
    for (const reject of waiting) reject(error)
    waiting.clear()
    notifications.clear()
    if (introduced) tellEnd(error)
  }
  const tellEnd = (error: RpcError): void => {
    emitter.emit('disconnect', error)
    emitter.clear()
  }
  stopListening = services.read.closed.onClose(close)
  queueMicrotask(() => {
    introduced = true
    if (closed) tellEnd(new DisconnectedError())
    else emitter.emit('connect', { chainId: quantity(services.read.chainId) })
  })

  const provider = {
    request(args: unknown): Promise<unknown> {
      if (closed) return Promise.reject(new DisconnectedError())
      return new Promise((resolve, reject) => {
        waiting.add(reject)
        answer(args).then(
          (result) => endRequest(reject, resolve, result),
          (thrown) => {
            // Closed meanwhile: it has been answered, and what it worked on may be gone.
            if (closed) return
            if (thrown instanceof RpcError) return endRequest(reject, reject, inDialect(thrown, dialect))
            reports.onInternalError(toError(thrown))
            endRequest(reject, reject, new InternalError(thrown))
          },
        )
      })
    },
    on(event: string, listener: () => void) {
      emitter.on(event as 'message', listener)
      return provider
    },
    removeListener(event: string, listener: () => void) {
      emitter.off(event as 'message', listener)
      return provider
    },
    get closed() {
      return closed
    },
    close,
  }
  notificationsOf.set(provider, notifications)
  return provider as unknown as Provider
}

function readRequest(args: unknown): { readonly name: string; readonly params: unknown } {
  if (typeof args !== 'object' || args === null) throw new InvalidRequestError('an object with a method')
  const { method, params } = args as { method?: unknown; params?: unknown }
  if (typeof method !== 'string') throw new InvalidRequestError('a string as method')
  return { name: method, params }
}

/** What stands without a list around it, in one. */
function listed(params: unknown): unknown {
  return typeof params === 'object' && params !== null && !Array.isArray(params) ? [params] : params
}

function isServed({ standardDialects }: Method, { kind }: View, { name }: DialectRules): boolean {
  return kind === 'preconf' || standardDialects === undefined || standardDialects.includes(name)
}

function findMethod(name: string): RunnableMethod {
  const method = Object.hasOwn(METHODS, name) ? METHODS[name as keyof typeof METHODS] : undefined
  if (method === undefined) throw new MethodNotFoundError(name)
  return method as Method as RunnableMethod
}
