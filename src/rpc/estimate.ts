/** Gas estimates, on request and for transactions without a gas limit. */
import { executeCall } from '../evm/call.ts'
import { ExecutionFailedError, ExecutionRevertedError, GasAllowanceError } from '../evm/errors.ts'
import { estimateGas } from '../evm/estimateGas.ts'
import { createYielder } from '../primitives/yielder.ts'
import { gasAllowance, type PreparedCall } from './call.ts'
import { watchCall } from './callHooks.ts'
import type { CallObject } from './params/call.ts'
import type { ReadServices } from './services.ts'

/**
 * Estimates the least gas limit with which a call succeeds. The console output of a call that fails is emitted, and
 * it is counted by what watches executions.
 *
 * @throws ExecutionRevertedError, ExecutionFailedError, GasAllowanceError, TransactionRejectedError
 */
export async function estimate(
  call: CallObject,
  prepared: PreparedCall,
  read: ReadServices,
): Promise<bigint> {
  const { executor, limits } = read
  const tx = { ...prepared.tx, gasLimit: gasAllowance(call, prepared, limits.gasCap) }
  const callHooks = watchCall(prepared.hooks, read)
  const pause = createYielder(read.clock)
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
