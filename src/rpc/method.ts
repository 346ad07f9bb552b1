/** Definition of a method: parameters, handler, their types, and the context of handlers. */

import type { Schema } from '../base/schema.ts'
import type { Dialect, MaybePromise } from '../base/types.ts'
import { createYielder, type Yielder } from '../base/waiting.ts'
import { DisconnectedError } from '../core/sequencer/errors.ts'
import type { ChangeTurn, SendTurn } from '../core/sequencer/order.ts'
import type { View, ViewedTip } from '../core/view/view.ts'
import type { DialectRules } from './dialect.ts'
import type { Answer } from './fork/shapes.ts'
import type { ParamValues, WireParams } from './params/params.ts'
import type { Closing, ReadServices, RpcServices } from './services.ts'
import type { Filters } from './subscriptions/filters.ts'
import type { Subscriptions } from './subscriptions/subscriptions.ts'
import type { Permissions } from './wallet/permissions.ts'

/** The context of a request: the services of the chain, and the state of its connection. */
export interface RpcContext extends Omit<RpcServices, 'idle'> {
  /** The tip captured for this request. */
  readonly viewed: ViewedTip
  /** Captures later tips, for handlers that wait. */
  readonly view: View
  readonly dialect: DialectRules
  readonly filters: Filters
  readonly subscriptions: Subscriptions
  /** The connection's permission to use the chain's accounts. */
  readonly permissions: Permissions
  /** Closes when the connection ends or the request's client leaves. Handlers that wait listen to it. */
  readonly closed: Closing
}

/** The context of a request that sends, with the turn that it took on arrival. */
export interface SendingContext extends RpcContext {
  readonly turn: SendTurn
}

/** The context of a request that replaces the whole chain, with the turn that it took on arrival. */
export interface ResetContext extends RpcContext {
  readonly turn: ChangeTurn
}

/** The part of the context that reads use. A long read stops when `closed` closes. */
export type ReadContext = Pick<RpcContext, 'viewed' | 'read' | 'closed'>

type Params = readonly Schema<unknown>[]

/** Options of a method. */
export interface MethodOptions<Alias extends string = string> {
  /** Alternative names of the method. */
  readonly aliases?: readonly Alias[]
  /** Dialects in which the standard view serves it (default: all). */
  readonly standardDialects?: readonly Dialect[]
}

/** An RPC method, as callers see it. */
export interface Method<Specs extends Params = Params, Result = unknown, Alias extends string = string>
  extends MethodOptions<Alias> {
  readonly params: Specs
  /** Whether clients may send the only parameter itself as `params`, without an array. */
  readonly bare?: boolean
  /** The turn that a request takes on arrival; see {@link defineMethod}. */
  readonly turn?: 'send' | 'raw' | 'change' | 'reset'
  /** Never set. Carries the type of the result for {@link SchemaOf}. */
  readonly result?: Result
}

/**
 * Who may call a method. As in go-ethereum, `node` and `debug` separate public namespaces (`eth`, `net`, `web3`) from
 * private ones (`txpool`, `debug`).
 *
 * - `node`: everybody. Public nodes serve it: `eth`, `net`, `web3` and Otterscan's lookups.
 * - `debug`: the operator of a node. It re-executes or builds blocks, or shows the whole mempool: `debug`, `trace`,
 *   `testing`, `txpool`, `eth_pendingTransactions`, and Otterscan's traces and searches.
 * - `cheat`: tests. Only development chains serve it.
 * - `wallet`: the owner of accounts. It uses keys or the permissions of a connection.
 */
export type MethodClass = 'node' | 'debug' | 'cheat' | 'wallet'

/**
 * Who answers a method on a fork. `local`: the chain here. Otherwise the forked node answers about the chain up to the
 * fork. `reads` says what a request names: a block, a range of blocks, the state or the tries after a block, or a
 * transaction. `answer` names the form of the node's answer to the same request. With `reader`, the method has an entry
 * in `READERS` of `fork/forwarding.ts`, which decides what to ask.
 */
export type OnFork =
  | 'local'
  | { readonly reads: 'block' | 'state' | 'trie' | 'transaction'; readonly answer: Answer }
  | { readonly reads: 'block' | 'range' | 'state' | 'transaction'; readonly answer: 'reader' }

type Classified =
  | { readonly class: 'node' | 'debug'; readonly onFork: OnFork }
  | { readonly class: 'cheat' | 'wallet'; readonly onFork?: OnFork }

/** A method as providers run it. Its class and {@link RpcContext} stay out of the public types. */
export type RunnableMethod = Method &
  Classified & {
    readonly handler: (context: SendingContext & ResetContext, ...params: never[]) => MaybePromise<unknown>
  }

type Turn = NonNullable<Method['turn']>

/** The context by turn. Handlers of sends and resets wait for the turn themselves; a change runs when it has come. */
type ContextOf<T extends Turn | undefined> = T extends 'send' | 'raw'
  ? SendingContext
  : T extends 'reset'
    ? ResetContext
    : RpcContext

type Definition<
  Specs extends Params,
  Result,
  Alias extends string,
  T extends Turn | undefined,
  Bare extends boolean,
  Done extends null | true | undefined,
> = Classified &
  MethodOptions<Alias> & {
    /**
     * The turn that a request takes on arrival. Reads take none.
     *
     * - `send`: sends transactions. The handler tells the turn the sender, by `turn.name`.
     * - `raw`: as `send`, for a signed transaction.
     * - `change`: changes the chain by other means. It runs after all earlier requests with a turn.
     * - `reset`: as `change`, but the handler itself waits for its turn, since it may end earlier requests.
     */
    readonly turn?: T
    /** Whether clients may send the only parameter itself as `params` (JSON-RPC 2.0, by name). */
    readonly bare?: Bare
    /** Default: none. */
    readonly params?: Specs
    /** The method's result, if its handler only acts; default: the handler's result. */
    readonly returns?: Done
    readonly handler: (context: ContextOf<T>, ...params: ParamValues<Specs>) => MaybePromise<Result>
  }

/** Defines a method and infers its types from schemas, turn and handler. */
export function defineMethod<
  const Specs extends Params = readonly [],
  Result = unknown,
  const Alias extends string = never,
  T extends Turn | undefined = undefined,
  Bare extends boolean = false,
  Done extends null | true | undefined = undefined,
>(
  definition: Definition<Specs, Result, Alias, T, Bare, Done>,
): Method<Readonly<Specs>, ResultOf<Done, Result>, Alias> &
  (Bare extends true ? { readonly bare: true } : unknown) {
  const { returns, handler, ...others } = definition
  const act = async (...values: Parameters<typeof handler>) => {
    await handler(...values)
    return returns
  }
  return { params: [], ...others, handler: returns === undefined ? handler : act } as never
}

type ResultOf<Done, Result> = Done extends true ? boolean : Done extends null ? null : Result

const PREFIXES = ['anvil', 'evm', 'ganache', 'hardhat'] as const
type Prefix = (typeof PREFIXES)[number]

/** Returns a method's names under the prefixes of development chains (default: all prefixes). */
export function devNames<Name extends string, P extends Prefix = Prefix>(
  name: Name,
  prefixes: readonly P[] = PREFIXES as readonly Prefix[] as readonly P[],
): readonly `${P}_${Name}`[] {
  return prefixes.map((prefix) => `${prefix}_${name}` as const)
}

/** Defines a change of the chain under `name` with each prefix of development chains, and under `aliases`. */
export function defineCheat<
  const Name extends string,
  const Specs extends Params = readonly [],
  Result = unknown,
  const Alias extends string = never,
  Done extends null | true | undefined = undefined,
>(
  name: Name,
  {
    aliases = [],
    ...rest
  }: Pick<
    Definition<Specs, Result, Alias, undefined, false, Done>,
    'aliases' | 'params' | 'returns' | 'handler'
  >,
) {
  const all: readonly (`${Prefix}_${Name}` | Alias)[] = [...devNames(name), ...aliases]
  return defineMethod({ class: 'cheat', turn: 'change', aliases: all, ...rest })
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

/** Types of `request` for a table of methods: parameters and result by name. */
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

/** Returns a yielder that also ends a request's work: it throws a DisconnectedError once `closed` has closed. */
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

/** Returns the context of a send whose turn has come, with the newest tip if earlier requests may have changed it. */
export function atTurn<Sending extends Pick<SendingContext, 'viewed' | 'view' | 'turn'>>(
  context: Sending,
): Sending {
  return context.turn.isBehind ? { ...context, viewed: context.view.capture() } : context
}
