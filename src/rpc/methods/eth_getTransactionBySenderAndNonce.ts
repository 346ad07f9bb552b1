import { defineMethod } from '../method.ts'
import { address, quantity64 } from '../params/params.ts'
import { findByNonce, toFoundTransaction } from '../transactions.ts'

/**
 * Returns the transaction of a sender with this nonce, within the history, or null if there is none. Its block fields
 * are null while it waits.
 *
 * @group Transactions
 * @example ["$alice", "0x0"]
 */
export const eth_getTransactionBySenderAndNonce = defineMethod({
  class: 'node',
  onFork: { reads: 'transaction', answer: 'reader' },
  params: [address, quantity64],
  handler: (context, sender, nonce) => toFoundTransaction(findByNonce(context, sender, nonce)),
})
