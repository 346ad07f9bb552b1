import { quantity } from '../../primitives/bytes.ts'
import { optional } from '../../primitives/schema.ts'
import { prepareCall } from '../call.ts'
import { estimate } from '../estimate.ts'
import { method } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { callObject } from '../params/call.ts'
import { blockOverrides, stateOverrides } from '../params/overrides.ts'

/**
 * The least gas limit, to within a percent, with which a transaction succeeds (spec.md §4.2). Where no block is named,
 * on standard in the block to come (design, decision 56).
 *
 * @throws ExecutionRevertedError, ExecutionFailedError, GasAllowanceError, and what makes a transaction invalid
 */
export const eth_estimateGas = method(
  [callObject, optional(blockParameter), optional(stateOverrides), optional(blockOverrides)],
  async ({ viewed, read }, call, block, state, header) => {
    const view = await viewed.requireForEstimate(block)
    return quantity(await estimate(call, prepareCall(call, view, read, state, header), read))
  },
)
