import { toRpcReceipts } from '../format/format.ts'
import { defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'

/**
 * Returns the receipts of a block, or null if there is none (spec.md §2.6).
 *
 * @throws StateUnavailableError
 * @group Blocks
 * @example ["latest"]
 */
export const eth_getBlockReceipts = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'receipts' },
  params: [blockParameter],
  handler: async ({ viewed }, reference) => {
    const view = await viewed.find(reference)
    return view === undefined ? null : toRpcReceipts(view.executed)
  },
})
