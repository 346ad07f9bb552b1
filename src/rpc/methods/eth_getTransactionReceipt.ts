import { toRpcReceipt } from '../format/format.ts'
import { defineMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'

/**
 * Returns the receipt of a transaction once it is pre-confirmed (preconf) or sealed (standard), null before.
 *
 * @group Transactions
 * @example ["$transaction"]
 */
export const eth_getTransactionReceipt = defineMethod({
  class: 'node',
  onFork: { reads: 'transaction', answer: 'reader' },
  params: [hash32],
  handler: ({ viewed }, hash) => {
    const place = viewed.findTransaction(hash)
    return place === undefined ? null : toRpcReceipt(place.block, place.index)
  },
})
