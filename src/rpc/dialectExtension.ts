/** The interface of a dialect's behavior beyond the rules of `dialect.ts`. */

import type { Crypto } from '../base/crypto/crypto.ts'
import type { PresealRpcError } from '../base/errors.ts'
import type { Schema } from '../base/schema.ts'
import type { MaybePromise } from '../base/types.ts'
import type { BlockView } from '../core/view/blockView.ts'
import type { ViewedTip } from '../core/view/view.ts'
import type { Transaction } from '../ethereum/transaction.ts'
import type { RpcContext, SendingContext } from './method.ts'
import type { TransactionRequest } from './params/callObject.ts'

/** A dialect's behavior as code, which is loaded when the first request needs it. */
export interface DialectExtension {
  /** Converts parameters that do not match `specs`. A value that cannot be converted stays as it is. */
  readParams(params: unknown, specs: readonly Schema<unknown>[]): unknown
  /** Fills in the dialect's defaults, which make an estimate unnecessary. */
  complete(request: TransactionRequest, viewed: ViewedTip): TransactionRequest
  /** Returns the state after all unsealed transactions, for estimates on an unsealed block. */
  estimateOn(context: EstimateContext, block: BlockView): Promise<Pick<BlockView, 'state' | 'env'>>
  /**
   * Sends a transaction in its turn.
   *
   * @param submit - creates the transaction, passes it to `check` and adds it to the mempool. `now` is the context when
   *   the turn has come.
   * @throws TransactionRejectedError, ExecutionRevertedError, ExecutionFailedError
   */
  send<Context extends SendContext>(
    context: Context,
    submit: (now: Context, check: (tx: Transaction) => void) => Promise<Transaction>,
  ): Promise<Transaction>
  /** Answers a request whose name matches {@link DialectRules.adapted}. @param name - the requested name or alias. */
  adapt(name: string, request: AdaptedRequest): Promise<unknown>
  /** Sets the code, message and data that the dialect has for an error, and returns the error. */
  word(error: PresealRpcError, request: FailedRequest): PresealRpcError
}

/** A parsed request whose result the dialect changes. `values` are its parameters. */
export interface AdaptedRequest {
  readonly context: RpcContext
  readonly values: readonly unknown[]
  /** Returns the result before it is adapted. */
  answer(): MaybePromise<unknown>
}

/** The parts of the context that {@link DialectExtension.send} uses. */
export type SendContext = Pick<SendingContext, 'viewed' | 'view' | 'read' | 'send' | 'turn' | 'closed'>

/** The parts of the context that {@link DialectExtension.estimateOn} uses. */
export type EstimateContext = Pick<RpcContext, 'view' | 'read' | 'control' | 'closed'>

/** A request that failed. `params` are as the caller sent them, not checked. */
export interface FailedRequest {
  readonly method: string
  readonly params: unknown
  readonly viewed: ViewedTip
  readonly crypto: Crypto
}
