import { quantity } from '../../base/bytes.ts'
import { defineMethod } from '../method.ts'
import { blockPosition } from '../params/block.ts'

/**
 * Returns the number of transactions of a block by number or tag, or null if there is none.
 *
 * @group Blocks
 * @example ["latest"]
 */
export const eth_getBlockTransactionCountByNumber = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'quantity64' },
  params: [blockPosition],
  handler: async ({ viewed }, position) => {
    const view = await viewed.find(position)
    return view === undefined ? null : quantity(view.block.transactions.length)
  },
})
