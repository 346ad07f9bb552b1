import { quantity } from '../../base/bytes.ts'
import type { RpcAccessList } from '../../base/rpcTypes.ts'
import { optional } from '../../base/schema.ts'
import { createAccessList } from '../../ethereum/evm/call.ts'
import { createPause, defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { callObject, stateOverrides } from '../params/callObject.ts'
import { prepareCall } from '../prepareCall.ts'

/**
 * Returns the access list of a call (EIP-2930), the gas used with it and, if the call fails, the error.
 *
 * @throws HeaderNotFoundError, StateUnavailableError, AccessListConvergenceError, TransactionRejectedError
 * @throws NotPrecompileError, PrecompileMovedToItselfError, PrecompileTargetOverriddenError for state overrides
 * @group State and calls
 * @example [{ "from": "$bob", "to": "$token", "data": "$transfer", "gas": "0x186a0" }, "latest"]
 */
export const eth_createAccessList = defineMethod({
  class: 'node',
  onFork: { reads: 'state', answer: { accessList: 'accessList', gasUsed: 'quantity64' } },
  params: [callObject, optional(blockParameter), optional(stateOverrides)],
  handler: async (context, call, reference, overrides): Promise<RpcAccessList> => {
    const { viewed } = context
    const { crypto, executor } = viewed.tip.base.config
    const pause = createPause(context)
    const view = await viewed.require(reference)
    const listed = { ...call, accessList: call.accessList ?? [] }
    const prepared = prepareCall(listed, view, context, overrides)
    const created = await createAccessList(executor, prepared, crypto, pause)
    return { ...created, gasUsed: quantity(created.gasUsed) }
  },
})
