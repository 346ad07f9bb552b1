import { defineMethod } from '../method.ts'
import { transactionRequest } from '../params/callObject.ts'
import { sendTransaction } from '../wallet/sendTransaction.ts'

/**
 * Sends a transaction from an account of the chain or an impersonated one and returns its hash. Fills in missing fields
 * as eth_fillTransaction does. In `auto` mining, resolves once it is sealed, or at once if it is queued.
 *
 * @throws UnknownAccountError, TransactionRejectedError
 * @throws as eth_fillTransaction does
 * @throws ExecutionRevertedError, ExecutionFailedError in `auto` mining in the `hardhat` dialect, if the transaction
 *   fails
 * @group Transactions
 * @views estimates on the head's state | estimates on the preconf block
 * @example [{ "from": "$bob", "to": "$alice", "value": "0x1" }]
 */
export const eth_sendTransaction = defineMethod({
  class: 'wallet',
  turn: 'send',
  params: [transactionRequest],
  handler: async (context, request) => (await sendTransaction(context, request)).hash,
})
