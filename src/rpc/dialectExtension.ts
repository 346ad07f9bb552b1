/** The interface of a dialect's behavior beyond the rules of `dialect.ts`. */

import type { Crypto } from '../base/crypto/crypto.ts'
import type { PresealRpcError } from '../base/errors.ts'
import type { Schema } from '../base/schema.ts'
import type { MaybePromise } from '../base/types.ts'
import type { BlockView } from '../core/view/blockView.ts'
import type { ViewedTip } from '../core/view/view.ts'
import type { Transaction } from '../ethereum/transaction.ts'
import type { RpcContext, SendingContext } from './method.ts'
import type { TransactionRequest } from './params/call.ts'

/** Behavior of a dialect beyond its {@link DialectRules}. */
export interface DialectExtension {
  /** Converts parameters that do not have the form of `specs`. If it cannot convert one, it leaves it as it is. */
  readParams(params: unknown, specs: readonly Schema<unknown>[]): unknown
  /** Fills in the fields of a transaction that need no estimate. */
  complete(request: TransactionRequest, viewed: ViewedTip): TransactionRequest
  /** Returns the state after all pre-confirmed and waiting transactions, to estimate on in place of an unsealed block. */
  estimateOn(context: EstimateContext, block: BlockView): Promise<Pick<BlockView, 'state' | 'env'>>
  /**
   * Sends a transaction in its turn.
   *
   * @param submit - creates the transaction in the newest context `now`, passes it to `check` and adds it to the
   *   mempool.
   * @throws TransactionRejectedError, ExecutionRevertedError, ExecutionFailedError
   */
  send<Context extends SendContext>(
    context: Context,
    submit: (now: Context, check: (tx: Transaction) => void) => Promise<Transaction>,
  ): Promise<Transaction>
  /** Answers a request of {@link DialectRules.adapted} in the dialect's form. @param name - as requested. */
  adapt(name: string, request: AdaptedRequest): Promise<unknown>
  /** Sets the dialect's code, message and data of an error. */
  word(error: PresealRpcError, request: FailedRequest): PresealRpcError
}

/** A request whose result has the dialect's form. */
export interface AdaptedRequest {
  readonly context: RpcContext
  readonly values: readonly unknown[]
  /** Answers as in the default dialect. */
  answer(): MaybePromise<unknown>
}

/** Context of sends. */
export type SendContext = Pick<SendingContext, 'viewed' | 'view' | 'read' | 'send' | 'turn' | 'closed'>

/** Context of estimates. */
export type EstimateContext = Pick<RpcContext, 'view' | 'read' | 'control' | 'closed'>

/** A request that failed. */
export interface FailedRequest {
  readonly method: string
  readonly params: unknown
  readonly viewed: ViewedTip
  readonly crypto: Crypto
}
