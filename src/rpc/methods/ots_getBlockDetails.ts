import { defineMethod } from '../method.ts'
import { numberedBlock } from '../params/block.ts'

/**
 * Returns a block by number or tag, without transactions and bloom, with its issuance and total fees; null if there is
 * none.
 *
 * @throws StateUnavailableError for a block older than the history
 * @group Otterscan
 * @example ["latest"]
 */
export const ots_getBlockDetails = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'reader' },
  params: [numberedBlock],
  handler: async (context, block) => (await import('../otterscan/otterscan.ts')).blockDetails(context, block),
})
