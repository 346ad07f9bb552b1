import { defineMethod } from '../method.ts'
import { blockHash } from '../params/block.ts'

/**
 * Returns a block by hash; see ots_getBlockDetails.
 *
 * @throws StateUnavailableError
 * @group Otterscan
 * @example ["$block"]
 */
export const ots_getBlockDetailsByHash = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'reader' },
  params: [blockHash],
  handler: async (context, block) => (await import('../otterscan/otterscan.ts')).blockDetails(context, block),
})
