import { defineMethod } from '../method.ts'
import { transactionRequest } from '../params/callObject.ts'
import { sendUnsignedTransaction } from '../wallet/sendTransaction.ts'

/**
 * Sends a transaction from any account, even a contract, impersonated or not, and returns its hash (spec.md 33).
 *
 * @throws TransactionRejectedError
 * @throws as eth_fillTransaction does
 * @group Transactions
 * @views estimates on the head's state | estimates on the preconf block
 * @example [{ "from": "$bob", "to": "$alice", "gas": "0x5208", "gasPrice": "0x77359400" }]
 */
export const eth_sendUnsignedTransaction = defineMethod({
  class: 'cheat',
  turn: 'send',
  params: [transactionRequest],
  handler: async (context, request) => (await sendUnsignedTransaction(context, request)).hash,
})
