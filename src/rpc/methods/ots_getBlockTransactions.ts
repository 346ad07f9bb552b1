import { otterscanMethod } from '../otterscan/load.ts'
import { numberedBlock } from '../params/block.ts'
import { count } from '../params/params.ts'

/**
 * Returns a page of the transactions of a block, with the first four bytes of their input, and their receipts without logs. Page 0
 * has the last ones; null if there is no such block.
 *
 * @throws StateUnavailableError for a block older than the history
 */
export const ots_getBlockTransactions = otterscanMethod(
  [numberedBlock, count, count],
  ({ blockTransactions }) => blockTransactions,
)
