import { quantity } from '../../base/bytes.ts'
import { defineMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'

/**
 * Returns the number of transactions of the block with this hash, or null if there is none.
 *
 * @group Blocks
 * @example ["$block"]
 */
export const eth_getBlockTransactionCountByHash = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'quantity64' },
  params: [hash32],
  handler: async ({ viewed }, hash) => {
    const view = await viewed.find({ kind: 'hash', hash, requireCanonical: false })
    return view === undefined ? null : quantity(view.block.transactions.length)
  },
})
