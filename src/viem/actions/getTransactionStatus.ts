import type { Chain, Client, Transport } from 'viem'
import type { RequestErrorType } from 'viem/utils'
import type { TransactionStatus } from '../../primitives/eventTypes.ts'
import type { Hash } from '../../primitives/types.ts'
import { callByName } from '../push.ts'

/** What {@link getTransactionStatus} takes. */
export interface GetTransactionStatusParameters {
  /** The transaction. */
  readonly hash: Hash
}

/** Whether the node knows the transaction, and where it stands; OP-Stack nodes tell no stage. */
export type GetTransactionStatusReturnType = TransactionStatus

/** What {@link getTransactionStatus} rejects with. */
export type GetTransactionStatusErrorType = RequestErrorType

/**
 * Tells where a transaction stands: queued, pending, preconfirmed, sealed, dropped or replaced.
 *
 * - JSON-RPC method: `chain_transactionStatus`, or `base_transactionStatus` of OP-Stack nodes
 *
 * @throws MethodNotFoundRpcError if the node knows neither
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
