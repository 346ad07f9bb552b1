import { defineMethod } from '../method.ts'
import { numberedBlock } from '../params/block.ts'

/**
 * Returns the header of a block by number or tag, or null if there is none. Otterscan calls it to detect the kind of
 * node.
 *
 * @group Otterscan
 * @example ["latest"]
 */
export const erigon_getHeaderByNumber = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'reader' },
  params: [numberedBlock],
  handler: async (context, block) => (await import('../otterscan/otterscan.ts')).header(context, block),
})
