/** The interface of what a dialect does beyond the rules of `dialect.ts`. */

import type { Crypto } from '../base/crypto/crypto.ts'
import type { PresealRpcError } from '../base/errors.ts'
import type { Schema } from '../base/schema.ts'
import type { MaybePromise } from '../base/types.ts'
import type { BlockView } from '../core/view/blockView.ts'
import type { ViewedTip } from '../core/view/view.ts'
import type { Transaction } from '../ethereum/transaction.ts'
import type { RpcContext, SendingContext } from './method.ts'
import type { TransactionRequest } from './params/call.ts'

/** See the file's header. */
export interface DialectExtension {
  /** Converts parameters that are not of the form of `specs`; those that cannot be converted stay as they are. */
  readParams(params: unknown, specs: readonly Schema<unknown>[]): unknown
  /** Fills in the fields of a transaction that are not estimated. */
  complete(request: TransactionRequest, viewed: ViewedTip): TransactionRequest
  /** What an estimate runs on instead of a block that is not sealed: the state after what is pre-confirmed and what waits. */
  estimateOn(context: EstimateContext, block: BlockView): Promise<Pick<BlockView, 'state' | 'env'>>
  /**
   * Sends a transaction in its turn.
   *
   * @param submit - makes the transaction, passes it to `check`, and adds it to the mempool; `now` is the newest context.
   * @throws TransactionRejectedError, ExecutionRevertedError, ExecutionFailedError
   */
  send<Context extends SendContext>(
    context: Context,
    submit: (now: Context, check: (tx: Transaction) => void) => Promise<Transaction>,
  ): Promise<Transaction>
  /** Answers a request of {@link DialectRules.adapted} in the form of the dialect. @param name - as requested. */
  adapt(name: string, request: AdaptedRequest): Promise<unknown>
  /** Gives an error the code, the message and the data of the dialect. */
  word(error: PresealRpcError, request: FailedRequest): PresealRpcError
}

/** A request whose result has its own form in a dialect. */
export interface AdaptedRequest {
  readonly context: RpcContext
  readonly values: readonly unknown[]
  /** Answers as in the other dialects. */
  answer(): MaybePromise<unknown>
}

/** The part of the context that sends need. */
export type SendContext = Pick<SendingContext, 'viewed' | 'view' | 'read' | 'send' | 'turn' | 'closed'>

/** The part of the context that estimates need. */
export type EstimateContext = Pick<RpcContext, 'view' | 'read' | 'control' | 'closed'>

/** A request that failed. */
export interface FailedRequest {
  readonly method: string
  readonly params: unknown
  readonly viewed: ViewedTip
  readonly crypto: Crypto
}
