/** The gas of calls that are asked for or filled in. */
import { estimateGas } from '../evm/estimateGas.ts'
import { createYielder } from '../primitives/yielder.ts'
import { gasAllowance, type PreparedCall } from './call.ts'
import { listenToConsole } from './consoleHooks.ts'
import type { CallObject } from './params/call.ts'
import type { ReadServices } from './services.ts'

/**
 * The least gas limit with which a call succeeds. What one that fails says to the console is told.
 *
 * @throws ExecutionRevertedError, ExecutionFailedError, GasAllowanceError, InsufficientFundsError, and what makes a
 * transaction invalid
 */
export async function estimate(
  call: CallObject,
  prepared: PreparedCall,
  read: ReadServices,
): Promise<bigint> {
  const { executor, limits } = read
  const tx = { ...prepared.tx, gasLimit: gasAllowance(call, prepared, limits.callGas) }
  const heard = listenToConsole(prepared.hooks, read)
  const pause = createYielder(read.clock)
  try {
    return await estimateGas(executor, tx, prepared.env, prepared.state, pause, heard.hooks)
  } catch (error) {
    // What succeeds is sent, and heard then.
    heard.tell()
    throw error
  }
}
