/** The definition of a method: its parameters, its handler and their types, and what handlers use of their context. */

import type { Schema } from '../base/schema.ts'
import type { Dialect, MaybePromise } from '../base/types.ts'
import { createYielder, type Yielder } from '../base/waiting.ts'
import { DisconnectedError } from '../core/sequencer/errors.ts'
import type { ChangeTurn, SendTurn } from '../core/sequencer/order.ts'
import type { View, ViewedTip } from '../core/view/view.ts'
import type { DialectRules } from './dialect.ts'
import type { ParamValues, WireParams } from './params/params.ts'
import type { Closing, ReadServices, RpcServices } from './services.ts'
import type { Filters } from './subscriptions/filters.ts'
import type { Subscriptions } from './subscriptions/subscriptions.ts'
import type { Permissions } from './wallet/permissions.ts'

/** What a request's handler has access to. */
export interface RpcContext extends RpcServices {
  /** The tip that was captured for this request. */
  readonly viewed: ViewedTip
  /** Captures later tips, for handlers that wait. */
  readonly view: View
  readonly dialect: DialectRules
  readonly filters: Filters
  readonly subscriptions: Subscriptions
  /** The connection's permission to use the chain's accounts. */
  readonly permissions: Permissions
  /** Closes with the connection; handlers that wait listen to it. */
  readonly closed: Closing
}

/** What a send's handler has access to. */
export interface SendingContext extends RpcContext {
  /** The request's turn, which was taken when it arrived. */
  readonly turn: SendTurn
}

/** What a reset's handler has access to. */
export interface ResetContext extends RpcContext {
  /** The request's turn, which was taken when it arrived. */
  readonly turn: ChangeTurn
}

/** The part of the context that reads need; `closed` ends their work. */
export type ReadContext = Pick<RpcContext, 'viewed' | 'read' | 'closed'>

type Params = readonly Schema<unknown>[]

/** Options of a method. */
export interface MethodOptions<Alias extends string = string> {
  /** Other names of the method. */
  readonly aliases?: readonly Alias[]
  /** The dialects in which the standard view serves it; by default all of them. */
  readonly standardDialects?: readonly Dialect[]
}

/** An RPC method, as its callers see it. */
export interface Method<Specs extends Params = Params, Result = unknown, Alias extends string = string>
  extends MethodOptions<Alias> {
  readonly params: Specs
  /** Whether clients may also send the only parameter itself as `params`, without an array around it. */
  readonly bare?: boolean
  /** The turn that a request takes when it arrives: of a send, of one that is signed already, of a change, or of one that waits for its turn itself; none of a read. */
  readonly turn?: 'send' | 'raw' | 'change' | 'reset'
  /** Never set; it carries the type for SchemaOf. */
  readonly result?: Result
}

/** A method as a provider runs it; {@link RpcContext} stays out of the public types. */
export interface RunnableMethod extends Method {
  readonly handler: (context: SendingContext & ResetContext, ...params: never[]) => MaybePromise<unknown>
}

/** Defines a method; its types are inferred from its schemas and its handler. */
export function method<const Specs extends Params, Result, const Alias extends string = never>(
  params: Specs,
  handler: (context: RpcContext, ...params: ParamValues<Specs>) => MaybePromise<Result>,
  options?: MethodOptions<Alias>,
): Method<Specs, Result, Alias> {
  const runnable = { params, handler, ...options }
  return runnable
}

/** Defines a method that changes the chain by other means than a transaction: it runs after all that was requested before it. */
export function changeMethod<const Specs extends Params, Result, const Alias extends string = never>(
  params: Specs,
  handler: (context: RpcContext, ...params: ParamValues<Specs>) => MaybePromise<Result>,
  options?: MethodOptions<Alias>,
): Method<Specs, Result, Alias> {
  return { ...method(params, handler, options), turn: 'change' }
}

/** Defines a change whose handler waits for its turn itself, since it may be what ends the requests that it waits for. */
export function resetMethod<const Specs extends Params, Result, const Alias extends string = never>(
  params: Specs,
  handler: (context: ResetContext, ...params: ParamValues<Specs>) => MaybePromise<Result>,
  options?: MethodOptions<Alias>,
): Method<Specs, Result, Alias> {
  const runnable = { params, handler, ...options, turn: 'reset' as const }
  return runnable
}

/**
 * Defines a method that sends transactions: its handler names the sender to its turn, and waits for it.
 *
 * @param turn - `raw` if the transaction is signed already.
 */
export function sendMethod<const Specs extends Params, Result>(
  params: Specs,
  handler: (context: SendingContext, ...params: ParamValues<Specs>) => MaybePromise<Result>,
  turn: 'send' | 'raw' = 'send',
): Method<Specs, Result, never> {
  const runnable = { params, handler, turn }
  return runnable
}

/** Defines a method whose handler is in a chunk, which is loaded with its first request. */
export function lazyMethod<const Specs extends Params, Result>(
  params: Specs,
  load: () => Promise<(context: RpcContext, ...params: ParamValues<Specs>) => MaybePromise<Result>>,
): Method<Specs, Result, never> {
  return method(params, async (context, ...values) => (await load())(context, ...values))
}

/** Defines a method with one object, which clients may also send as `params` itself (JSON-RPC 2.0, by name). */
export function bareMethod<Spec extends Schema<unknown>, Result>(
  param: Spec,
  handler: (context: RpcContext, ...params: ParamValues<readonly [Spec]>) => MaybePromise<Result>,
): Method<readonly [Spec], Result, never> & { readonly bare: true } {
  return { ...method([param], handler), bare: true }
}

type Catalogue = { readonly [name: string]: Method }
type AliasOf<M> = M extends Method<Params, unknown, infer Alias> ? Alias : never

/** A catalogue of methods with their aliases. */
export type WithAliases<C extends Catalogue> = C & { readonly [Name in keyof C as AliasOf<C[Name]>]: C[Name] }

/** Adds the aliases of methods to a catalogue. */
export function withAliases<const C extends Catalogue>(catalogue: C): WithAliases<C> {
  const table: { [name: string]: Method } = { ...catalogue }
  for (const one of Object.values(catalogue)) {
    for (const alias of one.aliases ?? []) table[alias] = one
  }
  return table as WithAliases<C>
}

/** The types of `request` for a table of methods: parameters and result by name. */
export type SchemaOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Method<infer Specs, infer Result>
    ? {
        readonly params: Table[Name] extends { readonly bare: true }
          ? WireParams<Specs> | WireParams<Specs>[0]
          : WireParams<Specs>
        readonly result: Result
      }
    : never
}

/**
 * As `createYielder`, for the work of a request: it ends with the connection, since nobody gets the answer then.
 *
 * @throws DisconnectedError from a pause during which the connection has ended.
 */
export function createPause({
  read,
  closed,
}: {
  readonly read: Pick<ReadServices, 'clock'>
  readonly closed: Pick<Closing, 'isClosed'>
}): Yielder {
  return createYielder(read.clock, () => {
    if (closed.isClosed) throw new DisconnectedError()
  })
}

/** The context of a send at the beginning of its turn. */
export function atTurn<Sending extends Pick<SendingContext, 'viewed' | 'view' | 'turn'>>(
  context: Sending,
): Sending {
  return context.turn.isBehind ? { ...context, viewed: context.view.capture() } : context
}
