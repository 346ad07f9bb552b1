import { method } from '../method.ts'
import { optional, timeoutMs, transactionRequest } from '../params.ts'
import { sendAndWait } from '../sendAndWait.ts'
import { sendTransaction } from '../sendTransaction.ts'

/**
 * eth_sendTransaction, answered with the receipt as eth_sendRawTransactionSync is (EIP-7966).
 *
 * @throws what either throws
 */
export const eth_sendTransactionSync = method(
  [transactionRequest, optional(timeoutMs)],
  (context, request, timeout) => sendAndWait(context, () => sendTransaction(context, request), timeout),
)
