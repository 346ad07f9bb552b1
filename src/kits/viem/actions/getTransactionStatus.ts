import type { Chain, Client, Transport } from 'viem'
import type { RequestErrorType } from 'viem/utils'
import type { TransactionStatus } from '../../../base/eventTypes.ts'
import type { Hash } from '../../../base/types.ts'
import { callByName } from '../push.ts'

/** Parameters of {@link getTransactionStatus}. */
export interface GetTransactionStatusParameters {
  /** The transaction. */
  readonly hash: Hash
}

/** Whether the transaction is known, and its stage, which OP-Stack nodes do not report. */
export type GetTransactionStatusReturnType = TransactionStatus

/** Errors of {@link getTransactionStatus}. */
export type GetTransactionStatusErrorType = RequestErrorType

/**
 * Returns the stage of a transaction: queued, pending, preconfirmed, sealed, dropped or replaced.
 *
 * - JSON-RPC method: `chain_transactionStatus`, or `base_transactionStatus` of OP-Stack nodes
 *
 * @throws MethodNotFoundRpcError if the node supports neither
 * @example
 * const { status, stage } = await getTransactionStatus(client, { hash })
 */
export function getTransactionStatus(
  client: Client<Transport, Chain | undefined>,
  { hash }: GetTransactionStatusParameters,
): Promise<GetTransactionStatusReturnType> {
  return callByName(client as Client, 'chain_transactionStatus', (method) =>
    client.request<{ Parameters: [Hash]; ReturnType: TransactionStatus; Method: string }>({
      method,
      params: [hash],
    }),
  )
}
