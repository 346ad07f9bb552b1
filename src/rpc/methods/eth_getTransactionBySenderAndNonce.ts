import { method } from '../method.ts'
import { address, quantity64 } from '../params/scalars.ts'
import { findByNonce, toFoundTransaction } from '../transactions.ts'

/** The transaction a sender used a nonce for, within the history; null block fields while it waits, null for none. */
export const eth_getTransactionBySenderAndNonce = method([address, quantity64], (context, sender, nonce) =>
  toFoundTransaction(findByNonce(context, sender, nonce)),
)
