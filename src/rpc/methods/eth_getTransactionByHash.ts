import { defineMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'
import { findTransaction, toFoundTransaction } from '../transactions.ts'

/**
 * Returns a transaction, or null if it is unknown. Its block fields are null while it waits.
 *
 * @group Transactions
 * @example ["$transaction"]
 */
export const eth_getTransactionByHash = defineMethod({
  class: 'node',
  onFork: { reads: 'transaction', answer: 'reader' },
  params: [hash32],
  handler: (context, hash) => toFoundTransaction(findTransaction(context, hash)),
})
