/** What a method is made of: its parameters, its handler, and the types of both. */

import type { Schema } from '../primitives/schema.ts'
import type { Dialect, MaybePromise } from '../primitives/types.ts'
import type { View } from '../view/view.ts'
import type { ViewedTip } from '../view/viewedTip.ts'
import type { DialectRules } from './dialect.ts'
import type { ParamValues, WireParams } from './params/parseParams.ts'
import type { Closing, RpcServices } from './services.ts'
import type { Filters } from './subscriptions/filters.ts'
import type { Subscriptions } from './subscriptions/subscriptions.ts'
import type { Permissions } from './wallet/permissions.ts'

/** What one request is answered with. */
export interface RpcContext extends RpcServices {
  /** The chain as this request sees it. */
  readonly viewed: ViewedTip
  /** What later looks are captured from. */
  readonly view: View
  readonly dialect: DialectRules
  readonly filters: Filters
  readonly subscriptions: Subscriptions
  /** What the connection may use of the chain's accounts. */
  readonly permissions: Permissions
  /** Ends with the connection; what waits listens to it. */
  readonly closed: Closing
}

/** What reads need of a request. */
export type ReadContext = Pick<RpcContext, 'viewed' | 'read'>

type Params = readonly Schema<unknown>[]

/** What a method is besides its parameters and its handler. */
export interface MethodOptions<Alias extends string = string> {
  /** Further names it is served by. */
  readonly aliases?: readonly Alias[]
  /** The dialects in which the standard view serves it; by default all of them. */
  readonly standardDialects?: readonly Dialect[]
}

/** A method of the wire, as its callers see it. */
export interface Method<Specs extends Params = Params, Result = unknown, Alias extends string = string>
  extends MethodOptions<Alias> {
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

/** A method, its types taken from its schemas and its handler. */
export function method<const Specs extends Params, Result, const Alias extends string = never>(
  params: Specs,
  handler: (context: RpcContext, ...params: ParamValues<Specs>) => MaybePromise<Result>,
  options?: MethodOptions<Alias>,
): Method<Specs, Result, Alias> {
  const runnable = { params, handler, ...options }
  return runnable
}

/** A method of one parameter, an object, that clients send as `params` itself (JSON-RPC 2.0's parameters by name). */
export function bareMethod<Spec extends Schema<unknown>, Result>(
  param: Spec,
  handler: (context: RpcContext, ...params: ParamValues<readonly [Spec]>) => MaybePromise<Result>,
): Method<readonly [Spec], Result, never> & { readonly bare: true } {
  return { ...method([param], handler), bare: true }
}

type Catalogue = { readonly [name: string]: Method }
type AliasOf<M> = M extends Method<Params, unknown, infer Alias> ? Alias : never

/** Methods under all their names. */
export type WithAliases<C extends Catalogue> = C & { readonly [Name in keyof C as AliasOf<C[Name]>]: C[Name] }

/** Methods under all their names. */
export function withAliases<const C extends Catalogue>(catalogue: C): WithAliases<C> {
  const named = Object.values(catalogue).flatMap((one) =>
    (one.aliases ?? []).map((alias) => [alias, one] as const),
  )
  return { ...catalogue, ...Object.fromEntries(named) } as WithAliases<C>
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
