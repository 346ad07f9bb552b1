import { method } from '../method.ts'
import { transactionRequest } from '../params/call.ts'
import { sendUnsignedTransaction } from '../wallet/sendTransaction.ts'

/**
 * Sends for any account, which need not be impersonated and may be a contract (design, decision 33).
 *
 * @throws InvalidParamsError, whatever an estimate throws, TransactionRejectedError
 */
export const eth_sendUnsignedTransaction = method([transactionRequest], async (context, request) => {
  const { hash } = await sendUnsignedTransaction(context, request)
  return hash
})
