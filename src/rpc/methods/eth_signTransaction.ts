import { bytesToHex } from '../../base/bytes.ts'
import { defineMethod } from '../method.ts'
import { transactionRequest } from '../params/callObject.ts'
import { signTransaction } from '../wallet/sendTransaction.ts'

/**
 * Signs a transaction with an account of the chain and returns its encoding. Fills in missing fields as
 * eth_sendTransaction does.
 *
 * @throws UnknownAccountError
 * @throws as eth_fillTransaction does
 * @group Transactions
 * @views estimates on the head's state | estimates on the preconf block
 * @example [{ "from": "$bob", "to": "$token", "data": "$transfer", "gas": "0x186a0" }]
 */
export const eth_signTransaction = defineMethod({
  class: 'wallet',
  params: [transactionRequest],
  handler: async (context, request) => bytesToHex((await signTransaction(context, request)).raw),
})
