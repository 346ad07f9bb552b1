import { executeCall } from '../../evm/call.ts'
import { ExecutionFailedError, ExecutionRevertedError } from '../../evm/errors.ts'
import { bytesToHex } from '../../primitives/bytes.ts'
import { optional } from '../../primitives/schema.ts'
import { prepareCall } from '../call.ts'
import { listenToConsole } from '../consoleHooks.ts'
import { method } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { callObject } from '../params/call.ts'
import { blockOverrides, stateOverrides } from '../params/overrides.ts'

/**
 * Executes a call on a block without leaving a trace (spec.md §4.2); overrides of state and block as go-ethereum has
 * them.
 *
 * @throws ExecutionRevertedError, ExecutionFailedError, and what makes a transaction invalid
 */
export const eth_call = method(
  [callObject, optional(blockParameter), optional(stateOverrides), optional(blockOverrides)],
  async ({ viewed, read }, call, block, state, header) => {
    const view = await viewed.require(block)
    const { tx, env, state: overlay, hooks } = prepareCall(call, view, read, state, header)
    const heard = listenToConsole(hooks, read)
    const outcome = await executeCall(read.executor, tx, env, overlay, heard.hooks)
    heard.tell()
    const { succeeded, error, output } = outcome
    if (succeeded) return bytesToHex(output)
    if (error === 'execution reverted') throw new ExecutionRevertedError(bytesToHex(output))
    throw new ExecutionFailedError(error!)
  },
)
