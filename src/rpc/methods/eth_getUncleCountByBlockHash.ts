import { quantity } from '../../base/bytes.ts'
import { defineMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'

/**
 * Returns the number of uncles of the block with this hash, or null if there is no such block.
 *
 * @group Blocks
 * @example ["$block"]
 */
export const eth_getUncleCountByBlockHash = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'quantity64' },
  params: [hash32],
  handler: async ({ viewed }, reference) => {
    const view = await viewed.find({ kind: 'hash', hash: reference, requireCanonical: false })
    return view === undefined ? null : quantity(view.block.uncles.length)
  },
})
