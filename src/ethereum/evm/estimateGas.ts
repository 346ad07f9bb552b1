/** Estimates the lowest gas limit with which a transaction succeeds. */

import { bytesToHex } from '../../base/bytes.ts'
import type { Yielder } from '../../base/waiting.ts'
import { FloorDataGasError, IntrinsicGasError } from '../errors.ts'
import { type CallExecution, executeCall } from './call.ts'
import { ExecutionFailedError, ExecutionRevertedError, GasAllowanceError } from './errors.ts'
import type { Executor, Included } from './executor.ts'

/** The stipend of a call with value; go-ethereum adds it to its first guess too. */
const CALL_STIPEND = 2300n

/**
 * Estimates by executing: the gas that the call used with the whole allowance is tried first, since most code needs no
 * more; the engine can tell that this succeeds. Only if it fails, because of EIP-150 or code that reads its gas, is the
 * limit searched for.
 *
 * @param call - the gas limit of its transaction is the allowance.
 * @param pause - called during each execution, and after it.
 * @throws ExecutionRevertedError, ExecutionFailedError, GasAllowanceError if no limit within the allowance succeeds.
 * @throws TransactionRejectedError if it may not be executed at all.
 */
export async function estimateGas(executor: Executor, call: CallExecution, pause: Yielder): Promise<bigint> {
  const { tx } = call
  const allowance = tx.gasLimit
  const run = async (gasLimit: bigint) => {
    const outcome = await executeCall(executor, { ...call, tx: { ...tx, gasLimit } }, pause)
    const wait = pause()
    if (wait) await wait
    return outcome
  }
  const most = await run(allowance).catch((error) => {
    const tooLittle = error instanceof IntrinsicGasError || error instanceof FloorDataGasError
    throw tooLittle ? new GasAllowanceError(allowance, error) : error
  })
  if (!most.succeeded) throw toFailure(most, allowance)

  if (most.dependsOnGas === false || (await run(most.peakGas)).succeeded) return most.peakGas
  let fails = most.peakGas
  let succeeds = allowance
  const guess = ((most.peakGas + CALL_STIPEND) * 64n) / 63n
  if (guess < allowance) {
    if ((await run(guess)).succeeded) succeeds = guess
    else fails = guess
  }
  // To within a 128th: less than the one percent by which an estimate may exceed the lowest limit.
  while (succeeds - fails > 1n + succeeds / 128n) {
    const middle = (fails + succeeds) / 2n
    if ((await run(middle)).succeeded) succeeds = middle
    else fails = middle
  }
  return succeeds
}

function toFailure(outcome: Included, allowance: bigint): Error {
  if (outcome.error === 'execution reverted') return new ExecutionRevertedError(bytesToHex(outcome.output))
  if (outcome.error === 'out of gas') return new GasAllowanceError(allowance)
  return new ExecutionFailedError(outcome.error!)
}
