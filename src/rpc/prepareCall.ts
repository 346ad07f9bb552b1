/** Converts calls from the wire format to the executor's input, and estimates their gas. */

import { InvalidParamsError } from '../base/errors.ts'
import type { BlockView } from '../core/view/blockView.ts'
import { extraFeesOf } from '../ethereum/chainSpec.ts'
import { InsufficientFundsError } from '../ethereum/errors.ts'
import { callChecks, callToTxEnv, estimateGas, executeCall } from '../ethereum/evm/call.ts'
import { ExecutionFailedError, ExecutionRevertedError, GasAllowanceError } from '../ethereum/evm/errors.ts'
import type { BlockEnv, Checks, Hooks } from '../ethereum/evm/executor.ts'
import { watchExecution } from '../ethereum/evm/hooks.ts'
import {
  type BlockOverrides,
  movePrecompiles,
  overrideBlock,
  type StateOverrides,
} from '../ethereum/evm/overrides.ts'
import { precompilesOf } from '../ethereum/evm/precompiles.ts'
import { Overlay } from '../ethereum/state/overlay.ts'
import { applyPatch } from '../ethereum/state/patch.ts'
import { blobGasOf, feeCapOf, type TxEnv } from '../ethereum/transaction.ts'
import { createPause, type RpcContext } from './method.ts'
import type { CallObject } from './params/callObject.ts'
import type { ReadServices } from './services.ts'

/** A call, ready to execute. */
export interface PreparedCall {
  readonly tx: TxEnv
  readonly env: BlockEnv
  readonly state: Overlay
  readonly checks: Checks
}

/**
 * Prepares a call on a block: applies the overrides and fills in missing fields.
 *
 * @param context - its dialect decides whether the sender must have funds, and the default fee cap of the call.
 * @param position - path of the block overrides in the request's parameters.
 * @throws InvalidParamsError for a foreign chain id, and for block overrides that a call cannot have
 * @throws NotPrecompileError, PrecompileMovedToItselfError, PrecompileTargetOverriddenError
 */
export function prepareCall(
  call: CallObject,
  { state, env: shown }: Pick<BlockView, 'state' | 'env'>,
  { viewed: { tip }, read, dialect }: Pick<RpcContext, 'viewed' | 'read' | 'dialect'>,
  stateOverrides?: StateOverrides,
  blockOverrides?: BlockOverrides,
  position = '3',
): PreparedCall {
  const { rules, crypto } = tip.base.config
  refuseUnsupported(call, read.chainId, position, blockOverrides)
  const env = blockOverrides === undefined ? shown : overrideBlock(shown, blockOverrides, rules)
  const overlay = new Overlay(state)
  let movedPrecompiles: BlockEnv['movedPrecompiles']
  if (stateOverrides !== undefined) {
    movedPrecompiles = movePrecompiles(stateOverrides, precompilesOf(env.rules.fork), true)
    applyPatch(overlay, stateOverrides, crypto)
  }
  const { gasCap } = read.limits
  const gas = call.gas ?? gasCap
  const tx = callToTxEnv(dialect.fitsFees ? withFeeCap(call) : call, {
    nonce: call.nonce ?? 0n,
    gasLimit: gas < gasCap ? gas : gasCap,
    unpriced: 0,
  })
  // As in go-ethereum, BASEFEE is 0 if the fee cap is absent or zero, unless an override sets the base fee. The same
  // holds for BLOBBASEFEE and the blob fee cap of a call with blobs.
  const free = feeCapOf(tx) === 0n && blockOverrides?.baseFeePerGas === undefined
  const { blobVersionedHashes: hashes, maxFeePerBlobGas: blobFeeCap = hashes && 0n } = call
  const blobsFree = blobFeeCap === 0n && blockOverrides?.blobBaseFee === undefined
  return {
    tx,
    // Listed field by field: a spread would take a tenth of the time of a short call.
    env: {
      rules: env.rules,
      number: env.number,
      timestamp: env.timestamp,
      coinbase: env.coinbase,
      gasLimit: env.gasLimit,
      baseFee: free ? 0n : env.baseFee,
      blobBaseFee: blobsFree ? 0n : env.blobBaseFee,
      prevRandao: env.prevRandao,
      difficulty: env.difficulty,
      movedPrecompiles,
      blockHash: env.blockHash,
    },
    state: overlay,
    checks: callChecks(tx, dialect.callsPay),
  }
}

/**
 * Returns the highest gas limit that an estimate may use: the least of the call's gas (default: the block's gas limit),
 * `gasCap`, the protocol's limit and, if the call pays for gas, what the sender's funds allow.
 *
 * @throws InsufficientFundsError if value, blobs and fees besides gas leave no funds for gas, as in go-ethereum
 */
function gasAllowance(call: CallObject, { tx, env, state, checks }: PreparedCall, gasCap: bigint): bigint {
  const bounds = [call.gas ?? env.gasLimit, gasCap]
  const { maxTransactionGas } = env.rules
  if (maxTransactionGas !== undefined) bounds.push(maxTransactionGas)
  const price = feeCapOf(tx)
  if (price > 0n && checks.funds) {
    const blobs = blobGasOf(tx) * (tx.maxFeePerBlobGas ?? 0n)
    let left = (state.account(tx.from)?.balance ?? 0n) - tx.value - blobs
    if (env.rules.spec !== undefined && left > 0n) {
      left -= extraFeesOf(tx, { env, state }, leastOf([...bounds, left / price]))
    }
    if (left <= 0n) throw new InsufficientFundsError()
    bounds.push(left / price)
  }
  return leastOf(bounds)
}

function leastOf(bounds: readonly bigint[]): bigint {
  return bounds.reduce((least, bound) => (bound < least ? bound : least))
}

/** Uses the tip as the fee cap if the call has no fee cap. */
function withFeeCap(call: CallObject): CallObject {
  const { maxFeePerGas, maxPriorityFeePerGas } = call
  if (maxFeePerGas !== undefined || maxPriorityFeePerGas === undefined) return call
  return { ...call, maxFeePerGas: maxPriorityFeePerGas }
}

/** Checks the chain id of a call, if it has one. @throws InvalidParamsError if it is not this chain's id */
export function checkChainId(call: CallObject, chainId: bigint, position: string): void {
  if (call.chainId === undefined || call.chainId === chainId) return
  throw new InvalidParamsError(`${position}.chainId`, `this chain's id (${chainId})`)
}

/** @throws InvalidParamsError for a foreign chain id or an unsupported override */
function refuseUnsupported(
  call: CallObject,
  chainId: bigint,
  position: string,
  blockOverrides?: BlockOverrides,
): void {
  checkChainId(call, chainId, '0')
  for (const field of ['beaconRoot', 'withdrawals'] as const) {
    if (blockOverrides?.[field] === undefined) continue
    throw new InvalidParamsError(
      `${position}.${field}`,
      'no value: only eth_simulateV1 supports this override',
    )
  }
}

/** Returns hooks that emit console output and feed the process's collectors; undefined if nothing listens. */
export function watchCall({ events }: Pick<ReadServices, 'events'>): Hooks | undefined {
  return watchExecution(
    null,
    events.count('console') === 0 ? undefined : (entry) => events.emit('console', entry),
  )
}

/** Estimates the lowest gas limit with which a call succeeds. If the call fails, emits console output and throws. */
export async function estimate(
  call: CallObject,
  prepared: PreparedCall,
  context: Pick<RpcContext, 'viewed' | 'read' | 'closed'>,
): Promise<bigint> {
  const { viewed, read } = context
  const { executor } = viewed.tip.base.config
  const tx = { ...prepared.tx, gasLimit: gasAllowance(call, prepared, read.limits.gasCap) }
  const { env, state, checks } = prepared
  const hooks = watchCall(read)
  const pause = createPause(context)
  try {
    return await estimateGas(executor, { tx, env, state, checks, hooks }, pause)
  } catch (error) {
    // Reports to hooks only on failure: a call that succeeds is usually sent next, and reported then.
    hooks?.onKept?.()
    if (isFailure(error)) {
      await read.traceFailure?.(error, (hooks) => executeCall(executor, { ...prepared, tx, hooks }, pause))
    }
    throw error
  }
}

/** Whether an execution failed, rather than a check before it. */
function isFailure(error: unknown): error is Error {
  if (error instanceof GasAllowanceError) return error.cause === undefined
  return error instanceof ExecutionRevertedError || error instanceof ExecutionFailedError
}
