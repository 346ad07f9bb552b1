import { fillTransaction } from '../fillTransaction.ts'
import { defineMethod } from '../method.ts'
import { callObject } from '../params/callObject.ts'

/**
 * Fills in the missing fields of a transaction, ready to sign, as in go-ethereum but without blobs (spec.md 35).
 *
 * @throws InvalidParamsError if the fields exclude each other
 * @throws as eth_estimateGas does, if the gas is missing
 * @group Transactions
 * @views estimates on the head's state | estimates on the preconf block
 * @example [{ "from": "$bob", "to": "$token", "data": "$transfer", "gas": "0x186a0" }]
 */
export const eth_fillTransaction = defineMethod({
  class: 'node',
  onFork: 'local',
  params: [callObject],
  handler: fillTransaction,
})
