import { quantity } from '../../bytes.ts'
import { estimateGas } from '../../execution/estimateGas.ts'
import { gasAllowance, prepareCall } from '../call.ts'
import { listenToConsole } from '../consoleHooks.ts'
import { method } from '../method.ts'
import { blockOverrides, blockParameter, callObject, optional, stateOverrides } from '../params.ts'

/**
 * The least gas limit, to within a percent, with which a transaction succeeds (spec.md §4.2). Where no block is named, on standard
 * in the block to come (design, decision 56).
 *
 * @throws ExecutionRevertedError, ExecutionFailedError, GasAllowanceError, and what makes a transaction invalid
 */
export const eth_estimateGas = method(
  [callObject, optional(blockParameter), optional(stateOverrides), optional(blockOverrides)],
  async ({ sight, services }, call, block, state, header) => {
    const { executor, limits } = services
    const view = await sight.requireForEstimate(block)
    const prepared = prepareCall(call, view, services, state, header)
    const gasLimit = gasAllowance(call, prepared, limits.callGas)
    const { tx, env, state: overlay, hooks } = prepared
    const heard = listenToConsole(hooks, services)
    try {
      return quantity(await estimateGas(executor, { ...tx, gasLimit }, env, overlay, heard.hooks))
    } catch (error) {
      // What succeeds is sent, and heard then.
      heard.tell()
      throw error
    }
  },
)
