import { toRpcReceipt } from '../format/format.ts'
import { method } from '../method.ts'
import { hash32 } from '../params/scalars.ts'

/** The receipt: on preconf from pre-confirmation on, on standard from sealing on; null before that. */
export const eth_getTransactionReceipt = method([hash32], ({ viewed }, hash) => {
  const place = viewed.findTransaction(hash)
  return place === undefined ? null : toRpcReceipt(place.block, place.index)
})
