import { optional } from '../../primitives/schema.ts'
import { method } from '../method.ts'
import { transactionRequest } from '../params/call.ts'
import { timeoutMs } from '../params/scalars.ts'
import { sendAndWait } from '../sendAndWait.ts'
import { sendTransaction } from '../wallet/sendTransaction.ts'

/**
 * eth_sendTransaction, answered with the receipt as eth_sendRawTransactionSync is (EIP-7966).
 *
 * @throws what either throws
 */
export const eth_sendTransactionSync = method(
  [transactionRequest, optional(timeoutMs)],
  (context, request, timeout) => sendAndWait(context, () => sendTransaction(context, request), timeout),
)
