import { createYielder } from '../../yielder.ts'
import { feeHistory } from '../fees.ts'
import { method } from '../method.ts'
import { blockPosition, feeHistoryCount, optional, percentiles } from '../params.ts'

/** Base fees, fill and tips of the blocks up to one of them, the base fee of the block after it included. */
export const eth_feeHistory = method(
  [feeHistoryCount, blockPosition, optional(percentiles)],
  ({ sight, services }, count, newest, wanted) =>
    feeHistory(sight, count, newest, wanted, createYielder(services.clock)),
)
