import { sendMethod } from '../method.ts'
import { transactionRequest } from '../params/call.ts'
import { sendUnsignedTransaction } from '../wallet/sendTransaction.ts'

/**
 * Sends a transaction from any account, impersonated or not, even a contract, and returns its hash (spec.md
 * 33).
 *
 * @throws TransactionRejectedError
 * @throws as eth_fillTransaction does
 */
export const eth_sendUnsignedTransaction = sendMethod([transactionRequest], async (context, request) => {
  const { hash } = await sendUnsignedTransaction(context, request)
  return hash
})
