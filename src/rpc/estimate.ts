/** Gas estimates, on request and for transactions without a gas limit. */
import { estimateGas, executeCall } from '../ethereum/evm/call.ts'
import { ExecutionFailedError, ExecutionRevertedError, GasAllowanceError } from '../ethereum/evm/errors.ts'
import { gasAllowance, type PreparedCall, watchCall } from './call.ts'
import type { RpcContext } from './method.ts'
import type { CallObject } from './params/call.ts'
import { createPause } from './pause.ts'

/**
 * Estimates the least gas limit with which a call succeeds. The console output of a call that fails is emitted, and
 * it is counted by what watches executions.
 *
 * @throws ExecutionRevertedError, ExecutionFailedError, GasAllowanceError, TransactionRejectedError
 */
export async function estimate(
  call: CallObject,
  prepared: PreparedCall,
  context: Pick<RpcContext, 'read' | 'closed'>,
): Promise<bigint> {
  const { read } = context
  const { executor, limits } = read
  const tx = { ...prepared.tx, gasLimit: gasAllowance(call, prepared, limits.gasCap) }
  const callHooks = watchCall(prepared.hooks, read)
  const pause = createPause(context)
  try {
    return await estimateGas(executor, { ...prepared, tx, hooks: callHooks.hooks }, pause)
  } catch (error) {
    // A call that succeeds is usually sent next, and what it did is reported then.
    callHooks.report()
    if (isFailure(error)) {
      await read.traceFailure?.(error, (tracer) =>
        executeCall(executor, { ...prepared, tx, hooks: { ...prepared.hooks, tracer } }, pause),
      )
    }
    throw error
  }
}

/** Whether an error is that of an execution, not of a call that may not be executed. */
function isFailure(error: unknown): error is Error {
  if (error instanceof GasAllowanceError) return error.cause === undefined
  return error instanceof ExecutionRevertedError || error instanceof ExecutionFailedError
}
