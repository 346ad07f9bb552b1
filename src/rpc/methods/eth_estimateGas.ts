import { quantity } from '../../primitives/bytes.ts'
import { optional } from '../../primitives/schema.ts'
import { prepareCall } from '../call.ts'
import { estimate } from '../estimate.ts'
import { method } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { callObject } from '../params/call.ts'
import { blockOverrides, stateOverrides } from '../params/overrides.ts'

/**
 * Estimates the least gas limit with which a transaction succeeds, to within one percent (spec.md §4.2). On standard,
 * if no block is named, the estimate is for the next block (design, decision 56).
 *
 * @throws HeaderNotFoundError, StateUnavailableError
 * @throws ExecutionRevertedError, ExecutionFailedError, GasAllowanceError, TransactionRejectedError
 */
export const eth_estimateGas = method(
  [callObject, optional(blockParameter), optional(stateOverrides), optional(blockOverrides)],
  async ({ viewed, read }, call, block, state, header) => {
    const view = await viewed.requireForEstimate(block)
    return quantity(await estimate(call, prepareCall(call, view, read, state, header), read))
  },
)
