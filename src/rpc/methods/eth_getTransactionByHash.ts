import { toRpcTransaction } from '../format.ts'
import { method } from '../method.ts'
import { hash32 } from '../params.ts'

/** A transaction, with null block fields while it waits; null where it is not known. */
export const eth_getTransactionByHash = method([hash32], ({ sight, services }, hash) => {
  const place = sight.findTransaction(hash)
  if (place !== undefined) return toRpcTransaction(place.block.transactions[place.index]!, place)
  const waiting = sight.findWaiting(hash) ?? services.mempool.get(hash)
  return waiting === undefined ? null : toRpcTransaction(waiting)
})
