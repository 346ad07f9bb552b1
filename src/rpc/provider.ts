/**
 * An EIP-1193 provider on one view: requests in, results and events out.
 *
 * Owns: one connection's subscriptions, filters, permissions and listeners. It is the error boundary: every error of a
 * method reaches the caller with a JSON-RPC code.
 */

import { quantity } from '../base/bytes.ts'
import { Emitter, toError } from '../base/emitter.ts'
import { InvalidParamsError, PresealRpcError } from '../base/errors.ts'
import type { Address, Hex, MaybePromise } from '../base/types.ts'
import { Missing, turnBeforeAnswer, whenLoaded } from '../base/waiting.ts'
import { DisconnectedError } from '../core/sequencer/errors.ts'
import type { View } from '../core/view/view.ts'
import { type DialectRules, inDialect } from './dialect.ts'
import { InternalError, InvalidRequestError, MethodNotFoundError } from './errors.ts'
import { loadExtension } from './loadExtension.ts'
import type { Method, ResetContext, RunnableMethod, SendingContext } from './method.ts'
import { parseParams } from './params/params.ts'
import { closingOf, createClosing, givesUp, type RpcServices, setReport } from './services.ts'
import { Filters } from './subscriptions/filters.ts'
import { type Notifications, setNotifications, setResume } from './subscriptions/notifications.ts'
import { Subscriptions } from './subscriptions/subscriptions.ts'
import { methods, type PresealRpcSchema } from './table.ts'
import { Permissions } from './wallet/permissions.ts'

/** A message of a provider (EIP-1193). */
export interface ProviderMessage<Type extends string = string, Data = unknown> {
  readonly type: Type
  readonly data: Data
}

/** The chain of a provider (EIP-1193). */
export interface ProviderConnectInfo<ChainId extends string = string> {
  readonly chainId: ChainId
}

/** The events of a provider (EIP-1193). */
export interface ProviderEvents {
  /**
   * Emitted once, in a microtask after the provider is created, so that listeners can be added first. If the chain is
   * already closed, `disconnect` is emitted instead.
   */
  connect: (info: ProviderConnectInfo<Hex>) => void
  /** The new result of `eth_chainId`, when a cheat changes it. */
  chainChanged: (chainId: Hex) => void
  /** The new result of `eth_accounts`, when it has changed. */
  accountsChanged: (accounts: Address[]) => void
  /** A notification of a subscription of this provider. */
  message: (
    message: ProviderMessage<'eth_subscription', { readonly subscription: Hex; readonly result: unknown }>,
  ) => void
  /** The connection has ended, by {@link Provider.close} or because the chain was closed (error 4900). */
  disconnect: (error: PresealRpcError) => void
}

/** Arguments of a request, by method name. */
export type RequestArguments<Name extends keyof PresealRpcSchema> = {
  readonly method: Name
} & ([] extends PresealRpcSchema[Name]['params']
  ? { readonly params?: Readonly<PresealRpcSchema[Name]['params']> }
  : { readonly params: Readonly<PresealRpcSchema[Name]['params']> })

/** An EIP-1193 provider. `request` is typed by method name and also accepts any string. */
export interface Provider {
  /**
   * Answers one request. Params are never modified, and results share no objects with the chain.
   *
   * @throws PresealRpcError with a JSON-RPC code, such as -32601 for a method that the view does not serve, -32602 for
   *   invalid parameters, or 4900 after `close` (eth_uninstallFilter and eth_unsubscribe still succeed).
   * @example
   * const balance = await chain.preconf.request({ method: 'eth_getBalance', params: [address, 'pending'] })
   */
  request<Name extends keyof PresealRpcSchema>(
    args: RequestArguments<Name>,
  ): Promise<PresealRpcSchema[Name]['result']>
  request(args: { readonly method: string; readonly params?: unknown }): Promise<unknown>
  /** Listens to `connect`, `chainChanged`, `accountsChanged`, `message` and `disconnect` (EIP-1193). */
  on<Event extends keyof ProviderEvents>(event: Event, listener: ProviderEvents[Event]): this
  on(event: string, listener: (...values: unknown[]) => void): this
  /** Removes a listener. */
  removeListener<Event extends keyof ProviderEvents>(event: Event, listener: ProviderEvents[Event]): this
  removeListener(event: string, listener: (...values: unknown[]) => void): this
  /** Whether the connection has ended, by {@link Provider.close} or with the chain. */
  readonly closed: boolean
  /**
   * Ends the connection, its subscriptions and its filters. Requests in flight reject with 4900. `eth_uninstallFilter`
   * and `eth_unsubscribe` succeed, in flight and later.
   */
  close(): void
}

/** Callbacks for errors of listeners and for bugs. */
export interface ProviderReports {
  /** A listener threw. */
  onListenerError(error: Error): void
  /** A request failed with an unexpected error, for example an {@link InternalError}, and its caller gets an error. */
  onInternalError(error: Error): void
}

type Reject = (error: Error) => void

type Asked = { readonly method: string; readonly params?: unknown }

// Cached: each import() takes as long as a short request.
let answerOnFork: typeof import('./fork/forwarding.ts').answerOnFork | undefined

/** Creates a provider on a view. */
export function createProvider(
  view: View,
  dialect: DialectRules,
  services: RpcServices,
  reports: ProviderReports,
): Provider {
  const {
    read,
    send: { signers },
    control,
    order,
    idle,
  } = services
  const emitter = new Emitter<ProviderEvents>(reports.onListenerError)
  const notifications = new Emitter<Notifications>(reports.onListenerError)
  const subscriptions = new Subscriptions(view, dialect, read, (subscription, emission) => {
    notifications.emit('notification', subscription, emission)
    // Create the object only for listeners.
    if (emitter.count('message') === 0) return
    const data = { subscription, result: emission.value() }
    emitter.emit('message', { type: 'eth_subscription', data })
  })
  const filters = new Filters(view, dialect, read)
  const permissions = new Permissions(signers, dialect, (accounts) => {
    emitter.emit('accountsChanged', accounts)
  })
  const stopFollowing = read.events.listen('chainChanged', (chainId) =>
    emitter.emit('chainChanged', quantity(chainId)),
  )
  /** Requests in flight, by `reject`. When the connection ends, requests with `resolve` succeed and the rest fail. */
  const waiting = new Map<Reject, ((isGivenUp: true) => void) | undefined>()
  const closing = createClosing()
  let closed = false
  /** Whether `connect`, or `disconnect` in its place, was emitted. */
  let hasStarted = false
  // Assigned below: if the chain is already closed, `onClose` calls `close` before it returns.
  let stopListening = () => {}

  const answer = async (args: unknown): Promise<unknown> => {
    const { name, params } = readRequest(args)
    const found = findMethod(name, view, dialect)
    // Takes the turn before the first await, so that turns follow the order of requests.
    const change = found.turn === 'change' || found.turn === 'reset' ? order.change() : undefined
    const isRaw = found.turn === 'raw'
    const send = isRaw || found.turn === 'send' ? order.send(isRaw && dialect.sharesBlocks) : undefined
    const turn = change ?? send
    const work = closingOf(args, closing)
    const stopWatching = turn && work.onClose(() => turn.giveUp())
    try {
      const extension = dialect.adapted?.test(name) === true ? await loadExtension(dialect) : undefined
      const earlier = found.turn === 'change' ? change!.begin() : undefined
      if (earlier !== undefined) await earlier
      const list = found.bare ? toList(params) : params
      const read = readParams(list, found.params)
      const values = read instanceof Promise ? await read : read
      const context: SendingContext & ResetContext = {
        viewed: view.capture(),
        view,
        // Has the type that the handler expects, since `found.turn` decides both.
        turn: turn as never,
        read: services.read,
        send: services.send,
        control,
        order,
        dialect,
        filters,
        subscriptions,
        permissions,
        closed: work,
      }
      const { fork } = context.viewed.tip.base
      if (fork !== undefined) answerOnFork ??= (await import('./fork/forwarding.ts')).answerOnFork
      if (fork !== undefined || extension !== undefined) {
        const answer = () =>
          fork === undefined
            ? whenLoaded(() => found.handler(context, ...(values as never[])))
            : answerOnFork!({ method: found, values, context, fork, params: list })
        return await (extension === undefined ? answer() : extension.adapt(name, { context, values, answer }))
      }
      // Like `whenLoaded`, but without allocations per request. Every run uses the captured tip.
      for (;;) {
        try {
          const result = found.handler(context, ...(values as never[]))
          return result instanceof Promise ? await result : result
        } catch (thrown) {
          if (!(thrown instanceof Missing)) throw thrown
          await thrown.load()
        }
      }
    } finally {
      if (turn !== undefined) {
        stopWatching!()
        turn.end()
      }
    }
  }

  /** Parses parameters. An extension of the dialect may convert a form that the schemas refuse. */
  const readParams = (params: unknown, specs: Method['params']): MaybePromise<unknown[]> => {
    try {
      return parseParams(params, specs)
    } catch (error) {
      const extension = loadExtension(dialect)
      if (extension === undefined || !(error instanceof InvalidParamsError)) throw error
      return extension.then(({ readParams }) => parseParams(readParams(params, specs), specs))
    }
  }

  /** Rejects a request with the error as the dialect words it. */
  const refuse = (reject: Reject, error: PresealRpcError, args: unknown): void => {
    const extension = loadExtension(dialect)
    if (extension === undefined) {
      endRequest(reject, reject, inDialect(error, dialect))
      return
    }
    // `Object` accepts any arguments: they may be the reason of the error.
    const { method = '', params } = Object(args) as Partial<Asked>
    const request = { method, params, viewed: view.capture(), crypto: services.read.crypto }
    extension
      .then(({ word }) => word(error, request))
      .catch(toInternalError)
      .then((worded) => endRequest(reject, reject, worded))
  }

  const toInternalError = (thrown: unknown): InternalError => {
    reports.onInternalError(toError(thrown))
    return new InternalError(thrown)
  }

  /** Resolves or rejects a request, after a turn of the event loop if one is due. */
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
    subscriptions.close()
    filters.close()
    permissions.close()
    stopFollowing()
    if (waiting.size > 0) {
      const error = new DisconnectedError()
      for (const [reject, resolve] of waiting) resolve === undefined ? reject(error) : resolve(true)
      waiting.clear()
    }
    notifications.clear()
    if (hasStarted) emitDisconnect()
  }
  const emitDisconnect = (): void => {
    // Create the error only for listeners: it records the stack.
    if (emitter.count('disconnect') > 0) emitter.emit('disconnect', new DisconnectedError())
    emitter.clear()
  }
  stopListening = read.closed.onClose(close)
  queueMicrotask(() => {
    hasStarted = true
    if (closed) emitDisconnect()
    else emitter.emit('connect', { chainId: quantity(read.chainId) })
  })

  const provider = {
    request(args: unknown): Promise<unknown> {
      if (closed) return givesUp(args) ? Promise.resolve(true) : Promise.reject(new DisconnectedError())
      return new Promise((resolve, reject) => {
        waiting.set(reject, givesUp(args) ? resolve : undefined)
        const answered = idle === undefined ? answer(args) : idle.use(() => answer(args))
        answered.then(
          (result) => endRequest(reject, resolve, result),
          (thrown) => {
            // `close` has already ended the request; errors of a closed chain are not bugs.
            if (closed) return
            if (thrown instanceof PresealRpcError) refuse(reject, thrown, args)
            else endRequest(reject, reject, toInternalError(thrown))
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
  setNotifications(provider, notifications)
  setReport(provider, (thrown) => reports.onInternalError(toError(thrown)))
  setResume(provider, (subscription) => {
    if (closed) throw new DisconnectedError()
    subscriptions.resume(subscription)
  })
  return provider as unknown as Provider
}

/** Wraps `params` in an array if a client sent the only parameter without one. */
function toList(params: unknown): unknown {
  return typeof params === 'object' && params !== null && !Array.isArray(params) ? [params] : params
}

/** Reads the arguments of a request. @throws InvalidRequestError */
export function readRequest(args: unknown): { readonly name: string; readonly params: unknown } {
  if (typeof args !== 'object' || args === null) throw new InvalidRequestError('an object with a method')
  const { method, params } = args as { method?: unknown; params?: unknown }
  if (typeof method !== 'string') throw new InvalidRequestError('a string as method')
  return { name: method, params }
}

/** @throws MethodNotFoundError if the view serves no method with this name */
function findMethod(name: string, view: View, dialect: DialectRules): RunnableMethod {
  const method = methods.get(name)
  if (method === undefined) throw new MethodNotFoundError(name)
  const { standardDialects } = method
  const isServed =
    view.kind === 'preconf' || standardDialects === undefined || standardDialects.includes(dialect.name)
  if (!isServed) throw new MethodNotFoundError(name)
  return method
}
