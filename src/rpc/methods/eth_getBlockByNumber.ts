import { optional } from '../../base/schema.ts'
import { toViewedBlock } from '../format/format.ts'
import { defineMethod } from '../method.ts'
import { blockPosition } from '../params/block.ts'
import { boolean } from '../params/params.ts'

/**
 * Returns a block by number or tag, with transaction hashes or full transactions, or null if there is none (spec.md
 * §4.2).
 *
 * @group Blocks
 * @example ["latest", true]
 */
export const eth_getBlockByNumber = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'reader' },
  params: [blockPosition, optional(boolean)],
  handler: async ({ viewed, dialect }, position, full = false) => {
    const view = await viewed.find(position)
    return view === undefined ? null : toViewedBlock(view, full, dialect)
  },
})
