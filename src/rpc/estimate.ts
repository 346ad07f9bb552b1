/** Gas estimates, on request and for transactions without a gas limit. */
import { estimateGas } from '../evm/estimateGas.ts'
import { createYielder } from '../primitives/yielder.ts'
import { gasAllowance, type PreparedCall } from './call.ts'
import { listenToConsole } from './consoleHooks.ts'
import type { CallObject } from './params/call.ts'
import type { ReadServices } from './services.ts'

/**
 * Estimates the least gas limit with which a call succeeds. Emits the console output of a call that fails.
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
  const consoleHooks = listenToConsole(prepared.hooks, read)
  const pause = createYielder(read.clock)
  try {
    return await estimateGas(executor, tx, prepared.env, prepared.state, pause, consoleHooks.hooks)
  } catch (error) {
    // A call that succeeds is usually sent next, and its output is emitted then.
    consoleHooks.emit()
    throw error
  }
}
