/** What a method is made of: its parameters, its handler, and the types of both. */

import type { Schema } from '../primitives/schema.ts'
import type { MaybePromise } from '../primitives/types.ts'
import type { View } from '../view/view.ts'
import type { ViewedTip } from '../view/viewedTip.ts'
import type { DialectRules } from './dialect.ts'
import type { ParamValues, WireParams } from './params/parseParams.ts'
import type { Closing, RpcServices } from './services.ts'
import type { Filters } from './subscriptions/filters.ts'
import type { Subscriptions } from './subscriptions/subscriptions.ts'
import type { Permissions } from './wallet/permissions.ts'

/** What one request is answered with. */
export interface RpcContext {
  /** The chain as this request sees it. */
  readonly sight: ViewedTip
  /** What later looks are captured from. */
  readonly view: View
  readonly services: RpcServices
  readonly dialect: DialectRules
  readonly filters: Filters
  readonly subscriptions: Subscriptions
  /** What the connection may use of the chain's accounts. */
  readonly permissions: Permissions
  /** Ends with the connection; what waits listens to it. */
  readonly closed: Closing
}

type Params = readonly Schema<unknown>[]

/** A method of the wire, as its callers see it. */
export interface Method<Specs extends Params = Params, Result = unknown> {
  readonly params: Specs
  /** Whether its one parameter may also come without a list around it. */
  readonly bare?: boolean
  /** Never set; it carries the type for SchemaOf. */
  readonly result?: Result
}

/** A method as a provider runs it: what it is answered with stays out of the types that users see. */
export interface RunnableMethod extends Method {
  readonly handler: (context: RpcContext, ...params: never[]) => MaybePromise<unknown>
}

/** A method, its types taken from its parsers and its handler. */
export function method<const Specs extends Params, Result>(
  params: Specs,
  handler: (context: RpcContext, ...params: ParamValues<Specs>) => MaybePromise<Result>,
): Method<Specs, Result> {
  const runnable = { params, handler }
  return runnable
}

/** A method of one parameter, an object, that clients send as `params` itself (JSON-RPC 2.0's parameters by name). */
export function bareMethod<Spec extends Schema<unknown>, Result>(
  param: Spec,
  handler: (context: RpcContext, ...params: ParamValues<readonly [Spec]>) => MaybePromise<Result>,
): Method<readonly [Spec], Result> & { readonly bare: true } {
  return { ...method([param], handler), bare: true }
}

/** A table of methods as types: what `request` takes and gives. */
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
