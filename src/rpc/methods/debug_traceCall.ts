import { InvalidParamsError } from '../../base/errors.ts'
import { optional } from '../../base/schema.ts'
import { executeCall } from '../../ethereum/evm/call.ts'
import { createPause, defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { callObject } from '../params/callObject.ts'
import { traceCallOptions } from '../params/trace.ts'
import { prepareCall } from '../prepareCall.ts'
import { createTraceContext, loadTracers, reexecute } from '../traces.ts'

/**
 * Traces a call on the state after a block, or before its transaction at `txIndex`. Calls that fail are traced too.
 * `tracer` is as in debug_traceTransaction.
 *
 * @throws HeaderNotFoundError, UnknownTracerError, TraceTooLargeError, StateUnavailableError, TransactionRejectedError
 * @throws NotPrecompileError, PrecompileMovedToItselfError, PrecompileTargetOverriddenError for state overrides
 * @group Tracing
 * @example [{ "from": "$alice", "to": "$token", "data": "$payment" }, "latest", { "tracer": "callTracer" }]
 */
export const debug_traceCall = defineMethod({
  class: 'debug',
  onFork: { reads: 'state', answer: 'reader' },
  params: [callObject, optional(blockParameter), optional(traceCallOptions)],
  handler: async (context, call, reference, options = {}) => {
    const { viewed, read } = context
    const { stateOverrides, blockOverrides, txIndex, ...traced } = options
    const pause = createPause(context)
    const { createTraceRun } = await loadTracers()
    const run = createTraceRun(traced, createTraceContext(read))
    const view = await viewed.require(reference)
    const { length } = view.block.transactions
    if (txIndex !== undefined && txIndex >= length) {
      throw new InvalidParamsError('2.txIndex', `a transaction index below ${length}`)
    }
    const state =
      txIndex === undefined ? view.state : await reexecute(context, view).stateBefore(txIndex, pause)
    const on = { state, env: view.env }
    const at = '2.blockOverrides'
    const prepared = prepareCall(call, on, context, stateOverrides, blockOverrides, at)
    const { executor } = viewed.tip.base.config
    const outcome = await executeCall(executor, { ...prepared, hooks: run.hooks }, pause)
    return run.result(prepared.tx, outcome)
  },
})
