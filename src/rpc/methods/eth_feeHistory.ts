import { optional } from '../../base/schema.ts'
import { feeHistory } from '../fees.ts'
import { createPause, defineMethod } from '../method.ts'
import { blockPosition, feeHistoryCount, percentiles } from '../params/block.ts'

/**
 * Returns base fees, gas used ratios and tips of the blocks up to the given one, and the base fees of the block after
 * it. Parameters: number of blocks, newest block, percentiles of the tips.
 *
 * @throws HeaderNotFoundError, StateUnavailableError
 * @group Fees
 * @example ["0x2", "latest", [1, 50]]
 */
export const eth_feeHistory = defineMethod({
  class: 'node',
  onFork: { reads: 'range', answer: 'reader' },
  params: [feeHistoryCount, blockPosition, optional(percentiles)],
  handler: ({ viewed, read, closed }, count, newest, wanted) =>
    feeHistory(viewed, count, newest, wanted, createPause({ read, closed })),
})
