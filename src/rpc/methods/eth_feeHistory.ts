import { feeHistory } from '../fees.ts'
import { method } from '../method.ts'
import { array, blockPosition, feeHistoryCount, optional, percentile } from '../params.ts'

/** Base fees, fill and tips of the blocks up to one of them, the base fee of the block after it included. */
export const eth_feeHistory = method(
  [feeHistoryCount, blockPosition, optional(array(percentile, { max: 100 }))],
  ({ sight }, count, newest, percentiles) => feeHistory(sight, count, newest, percentiles),
)
