import { method } from '../method.ts'
import { address, quantity64 } from '../params/params.ts'
import { findByNonce, toFoundTransaction } from '../transactions.ts'

/**
 * Returns the transaction of a sender with this nonce, within the history; its block fields are null while it waits.
 * Null if there is none.
 */
export const eth_getTransactionBySenderAndNonce = method([address, quantity64], (context, sender, nonce) =>
  toFoundTransaction(findByNonce(context, sender, nonce)),
)
