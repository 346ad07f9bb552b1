/** What a method is made of: its parameters, its handler, and the types of both. */
import type { Clock } from '../clock.ts'
import type { Crypto } from '../crypto.ts'
import type { Executor } from '../execution/executor.ts'
import type { Mempool } from '../mempool/mempool.ts'
import type { ResolvedOptions } from '../options.ts'
import type { Sequencer } from '../sequencer.ts'
import type { Transaction } from '../transaction.ts'
import type { Address, MaybePromise } from '../types.ts'
import type { Sight, View } from '../view.ts'
import type { Filters } from './filters.ts'
import type { Param, ParamValues, WireParams } from './params.ts'
import type { Subscriptions } from './subscriptions.ts'

/** What the methods of one chain are answered with. */
export interface RpcServices {
  readonly chainId: bigint
  readonly coinbase: Address
  readonly mining: ResolvedOptions['mining']
  /** Milliseconds. */
  readonly blockTime: number
  readonly limits: ResolvedOptions['limits']
  readonly clock: Clock
  readonly crypto: Crypto
  readonly executor: Executor
  readonly mempool: Pick<Mempool, 'get' | 'stageOf' | 'outcomeOf' | 'dropReasonOf' | 'content' | 'status'>
  readonly events: Sequencer['events']
  /** Hashes of transactions as they enter the mempool. */
  onTransaction(listener: (transaction: Transaction) => void): () => void
  /** Keeps the process alive until the returned function is called. */
  hold(): () => void
  /** Decodes a transaction and lets it into the mempool; in `auto` mining resolves once it is sealed. */
  submit(raw: Uint8Array): Promise<Transaction>
  /** Ends with the chain; what waits listens to it. */
  readonly closed: Closing
}

/** Something that ends once; `onClose` runs at once where it has ended already. */
export interface Closing {
  onClose(fn: () => void): () => void
}

/** What one request is answered with. */
export interface RpcContext {
  /** The chain as this request sees it. */
  readonly sight: Sight
  /** What later looks are captured from. */
  readonly view: View
  readonly services: RpcServices
  readonly filters: Filters
  readonly subscriptions: Subscriptions
}

type Params = readonly Param<unknown>[]

/** A method of the wire. */
export interface Method<Specs extends Params = Params, Result = unknown> {
  readonly params: Specs
  readonly handler: (context: RpcContext, ...params: ParamValues<Specs>) => MaybePromise<Result>
}

/** A method, its types taken from its parsers and its handler. */
export function method<const Specs extends Params, Result>(
  params: Specs,
  handler: (context: RpcContext, ...params: ParamValues<Specs>) => MaybePromise<Result>,
): Method<Specs, Result> {
  return { params, handler }
}

/** A table of methods as types: what `request` takes and gives. */
export type SchemaOf<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Method<infer Specs, infer Result>
    ? { readonly params: WireParams<Specs>; readonly result: Result }
    : never
}
