import { method } from '../method.ts'
import { hash32 } from '../params/params.ts'
import { findTransaction, toFoundTransaction } from '../transactions.ts'

/** Returns a transaction, with null block fields while it waits; null if it is unknown. */
export const eth_getTransactionByHash = method([hash32], (context, hash) =>
  toFoundTransaction(findTransaction(context, hash)),
)
