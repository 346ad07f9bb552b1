import { optional } from '../../base/schema.ts'
import { defineMethod } from '../method.ts'
import { transactionRequest } from '../params/callObject.ts'
import { timeoutMs } from '../params/params.ts'
import { sendAndWait } from '../sendAndWait.ts'
import { sendTransaction } from '../wallet/sendTransaction.ts'

/**
 * Sends a transaction as eth_sendTransaction does and returns its receipt as eth_sendRawTransactionSync does
 * (EIP-7966).
 *
 * @throws as both methods do
 * @group Transactions
 * @views the sealed receipt | the pre-confirmed receipt
 * @example [{ "from": "$bob", "to": "$alice", "value": "0x1" }]
 */
export const eth_sendTransactionSync = defineMethod({
  class: 'wallet',
  turn: 'send',
  params: [transactionRequest, optional(timeoutMs)],
  handler: (context, request, timeout) =>
    sendAndWait(context, () => sendTransaction(context, request), timeout),
})
