import { toRpcReceipt } from '../format/format.ts'
import { method } from '../method.ts'
import { hash32 } from '../params/params.ts'

/**
 * Returns the receipt of a transaction, on preconf once it is pre-confirmed, on standard once it is sealed; null
 * before.
 */
export const eth_getTransactionReceipt = method([hash32], ({ viewed }, hash) => {
  const place = viewed.findTransaction(hash)
  return place === undefined ? null : toRpcReceipt(place.block, place.index)
})
