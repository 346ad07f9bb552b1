import { bytesToHex } from '../../base/bytes.ts'
import { optional } from '../../base/schema.ts'
import { executeCall, toFailure } from '../../ethereum/evm/call.ts'
import { createPause, defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { blockOverrides, callObject, stateOverrides } from '../params/callObject.ts'
import { prepareCall, watchCall } from '../prepareCall.ts'

/**
 * Executes a call on the state of a block without changing it, and returns the output of the call (spec.md §4.2). State
 * and block overrides are as in go-ethereum.
 *
 * @throws HeaderNotFoundError, StateUnavailableError
 * @throws NotPrecompileError, PrecompileMovedToItselfError, PrecompileTargetOverriddenError for state overrides
 * @throws ExecutionRevertedError, ExecutionFailedError, TransactionRejectedError
 * @group State and calls
 * @example [{ "from": "$bob", "to": "$token", "data": "$transfer", "gas": "0x186a0" }, "latest"]
 */
export const eth_call = defineMethod({
  class: 'node',
  onFork: { reads: 'state', answer: 'bytes' },
  params: [callObject, optional(blockParameter), optional(stateOverrides), optional(blockOverrides)],
  handler: async (context, call, block, state, header) => {
    const { viewed, read } = context
    const { executor } = viewed.tip.base.config
    const view = await viewed.require(block)
    const prepared = prepareCall(call, view, context, state, header)
    const { tx, env, checks } = prepared
    const hooks = watchCall(read)
    const pause = createPause(context)
    // A spread would take a tenth of the time of a short call.
    const execution = { tx, env, state: prepared.state, checks, hooks }
    const outcome = await executeCall(executor, execution, pause)
    hooks?.onKept?.()
    if (outcome.succeeded) return bytesToHex(outcome.output)
    const failure = toFailure(outcome)
    await read.traceFailure?.(failure, (hooks) => executeCall(executor, { ...prepared, hooks }, pause))
    throw failure
  },
})
