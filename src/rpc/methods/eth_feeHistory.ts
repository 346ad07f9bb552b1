import { optional } from '../../primitives/schema.ts'
import { createYielder } from '../../primitives/yielder.ts'
import { feeHistory } from '../fees.ts'
import { method } from '../method.ts'
import { blockPosition, feeHistoryCount, percentiles } from '../params/block.ts'

/** Base fees, fill and tips of the blocks up to one of them, the base fee of the block after it included. */
export const eth_feeHistory = method(
  [feeHistoryCount, blockPosition, optional(percentiles)],
  ({ viewed, read }, count, newest, wanted) =>
    feeHistory(viewed, count, newest, wanted, createYielder(read.clock)),
)
