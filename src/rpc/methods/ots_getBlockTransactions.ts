import { defineMethod } from '../method.ts'
import { numberedBlock } from '../params/block.ts'
import { count } from '../params/params.ts'

/**
 * Returns a page of the transactions of a block, with the first four bytes of their input, and their receipts without
 * logs. Page 0 has the last transactions. Returns null if there is no such block.
 *
 * @throws StateUnavailableError for a block older than the history
 * @group Otterscan
 * @example [1, 0, 2]
 */
export const ots_getBlockTransactions = defineMethod({
  class: 'node',
  onFork: { reads: 'block', answer: 'reader' },
  params: [numberedBlock, count, count],
  handler: async (context, block, page, size) =>
    (await import('../otterscan/otterscan.ts')).blockTransactions(context, block, page, size),
})
