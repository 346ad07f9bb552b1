import { quantity } from '../../base/bytes.ts'
import { optional } from '../../base/schema.ts'
import type { BlockView } from '../../core/view/blockView.ts'
import type { BlockReference } from '../../core/view/sources.ts'
import { loadExtension } from '../loadExtension.ts'
import { defineMethod, type RpcContext } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { blockOverrides, callObject, stateOverrides } from '../params/callObject.ts'
import { estimate, prepareCall } from '../prepareCall.ts'

/**
 * Estimates the lowest gas limit with which a transaction succeeds, within one percent (spec.md §4.2). On standard, the
 * default block is the next one (spec.md 56). In the `hardhat` dialect, an estimate on a block that is not sealed runs
 * after all pre-confirmed and waiting transactions.
 *
 * @throws HeaderNotFoundError, StateUnavailableError
 * @throws NotPrecompileError, PrecompileMovedToItselfError, PrecompileTargetOverriddenError for state overrides
 * @throws ExecutionRevertedError, ExecutionFailedError, GasAllowanceError, TransactionRejectedError
 * @group State and calls
 * @example [{ "from": "$bob", "to": "$token", "data": "$transfer", "gas": "0x186a0" }, "latest"]
 */
export const eth_estimateGas = defineMethod({
  class: 'node',
  onFork: { reads: 'state', answer: 'quantity64' },
  params: [callObject, optional(blockParameter), optional(stateOverrides), optional(blockOverrides)],
  handler: async (context, call, block, state, header) => {
    const view = await blockOfEstimate(context, block)
    return quantity(await estimate(call, prepareCall(call, view, context, state, header), context))
  },
})

async function blockOfEstimate(
  context: RpcContext,
  reference: BlockReference | undefined,
): Promise<Pick<BlockView, 'state' | 'env'>> {
  const block = await context.viewed.requireForEstimate(reference)
  const extension = block.kind === 'sealed' ? undefined : await loadExtension(context.dialect)
  return extension?.estimateOn(context, block) ?? block
}
