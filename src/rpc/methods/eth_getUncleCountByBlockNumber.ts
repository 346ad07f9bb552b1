import { quantity } from '../../base/bytes.ts'
import { defineMethod } from '../method.ts'
import { blockPosition } from '../params/block.ts'

/**
 * Returns the number of uncles of a block by number or tag, or null if there is no such block.
 *
 * @group Blocks
 * @example ["latest"]
 */
export const eth_getUncleCountByBlockNumber = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'quantity64' },
  params: [blockPosition],
  handler: async ({ viewed }, reference) => {
    const view = await viewed.find(reference)
    return view === undefined ? null : quantity(view.block.uncles.length)
  },
})
