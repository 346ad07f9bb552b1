import { optional } from '../../base/schema.ts'
import { sendMethod } from '../method.ts'
import { transactionRequest } from '../params/call.ts'
import { timeoutMs } from '../params/params.ts'
import { sendAndWait } from '../sendAndWait.ts'
import { sendTransaction } from '../wallet/sendTransaction.ts'

/**
 * Sends a transaction as eth_sendTransaction does and returns its receipt as eth_sendRawTransactionSync does
 * (EIP-7966).
 *
 * @throws as both of them do
 */
export const eth_sendTransactionSync = sendMethod(
  [transactionRequest, optional(timeoutMs)],
  (context, request, timeout) => sendAndWait(context, () => sendTransaction(context, request), timeout),
)
