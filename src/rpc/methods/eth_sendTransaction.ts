import { method } from '../method.ts'
import { transactionRequest } from '../params/call.ts'
import { sendTransaction } from '../wallet/sendTransaction.ts'

/**
 * Sends for an account of the chain, or one that is impersonated: fills in nonce, gas and fees as eth_fillTransaction
 * does, and signs. In `auto` mining the transaction is sealed when this resolves.
 *
 * @throws UnknownAccountError, InvalidParamsError, whatever an estimate throws, TransactionRejectedError
 */
export const eth_sendTransaction = method([transactionRequest], async (context, request) => {
  const { hash } = await sendTransaction(context, request)
  return hash
})
