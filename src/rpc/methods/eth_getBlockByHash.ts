import { optional } from '../../base/schema.ts'
import { toViewedBlock } from '../format/format.ts'
import { defineMethod } from '../method.ts'
import { boolean, hash32 } from '../params/params.ts'

/**
 * Returns a block by hash, with transaction hashes or full transactions, or null if there is none. On preconf, also
 * finds the preconf blocks of the block under construction and of the block before it.
 *
 * @group Blocks
 * @example ["$block", true]
 */
export const eth_getBlockByHash = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'reader' },
  params: [hash32, optional(boolean)],
  handler: async ({ viewed, dialect }, hash, full = false) => {
    const view = await viewed.find({ kind: 'hash', hash, requireCanonical: false })
    return view === undefined ? null : toViewedBlock(view, full, dialect)
  },
})
