import { method } from '../method.ts'
import { hash32 } from '../params/scalars.ts'
import { findTransaction, toFoundTransaction } from '../transactions.ts'

/** A transaction, with null block fields while it waits; null if it is not known. */
export const eth_getTransactionByHash = method([hash32], (context, hash) =>
  toFoundTransaction(findTransaction(context, hash)),
)
