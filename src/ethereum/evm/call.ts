/** Calls: unsigned transactions whose effects are discarded. */
import { ZERO_ADDRESS } from '../../base/bytes.ts'
import type { AccessListEntry, Address, Hash } from '../../base/types.ts'
import { whenLoaded, type Yielder } from '../../base/waiting.ts'
import {
  type Authorization,
  feeCapOf,
  NO_ACCESS_LIST,
  NO_DATA,
  type TxEnv,
  tipCapOf,
} from '../transaction.ts'
import type { Checks, Execution, Executor, Included } from './executor.ts'

/** The fields of a call (spec.md §2.2). */
export interface CallFields {
  readonly from?: Address
  /** Omitted for a creation. */
  readonly to?: Address
  readonly gas?: bigint
  /** Wei per gas; not allowed together with the two below. */
  readonly gasPrice?: bigint
  readonly maxFeePerGas?: bigint
  readonly maxPriorityFeePerGas?: bigint
  /** Wei per blob gas. */
  readonly maxFeePerBlobGas?: bigint
  readonly value?: bigint
  readonly data?: Uint8Array
  readonly nonce?: bigint
  readonly accessList?: readonly AccessListEntry[]
  readonly authorizationList?: readonly Authorization[]
  readonly blobVersionedHashes?: readonly Hash[]
}

/**
 * The transaction that a call is executed as.
 *
 * @param unpriced - the type of a call without fees, unless other fields decide it.
 */
export function callToTxEnv(
  call: CallFields,
  { nonce, gasLimit, unpriced }: { nonce: bigint; gasLimit: bigint; unpriced: 0 | 2 },
): TxEnv {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas, accessList, authorizationList } = call
  const { blobVersionedHashes, maxFeePerBlobGas } = call
  const type = typeOf(call, unpriced)
  const tx: { -readonly [K in keyof TxEnv]: TxEnv[K] } = {
    type,
    from: call.from ?? ZERO_ADDRESS,
    to: call.to ?? null,
    nonce,
    gasLimit,
    value: call.value ?? 0n,
    data: call.data ?? NO_DATA,
  }
  if (type < 2) tx.gasPrice = gasPrice ?? 0n
  else {
    tx.maxFeePerGas = maxFeePerGas ?? gasPrice ?? 0n
    tx.maxPriorityFeePerGas = maxPriorityFeePerGas ?? gasPrice ?? 0n
  }
  if (type > 0) tx.accessList = accessList ?? NO_ACCESS_LIST
  if (authorizationList !== undefined) tx.authorizationList = authorizationList
  if (blobVersionedHashes !== undefined) {
    tx.blobVersionedHashes = blobVersionedHashes
    tx.maxFeePerBlobGas = maxFeePerBlobGas ?? 0n
  }
  return tx
}

function typeOf(call: CallFields, unpriced: 0 | 2): TxEnv['type'] {
  if (call.authorizationList !== undefined) return 4
  if (call.blobVersionedHashes !== undefined) return 3
  if (call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined) return 2
  if (unpriced === 2 && call.gasPrice === undefined) return 2
  return call.accessList === undefined ? 0 : 1
}

/**
 * The checks of a call: never nonce, sender's code and gas limit, and fees only if it sets them.
 *
 * @param pays - whether funds, and the fees that it sets, are checked.
 */
export function callChecks(tx: TxEnv, pays = true): Checks {
  return {
    nonce: false,
    senderCode: false,
    gasLimit: false,
    feeCap: pays && (feeCapOf(tx) > 0n || tipCapOf(tx) > 0n),
    blobFeeCap: pays && (tx.maxFeePerBlobGas ?? 0n) > 0n,
    funds: pays,
  }
}

/** A call to execute; without `checks`, those of a call that pays. */
export type CallExecution = Omit<Execution, 'checks' | 'mayDefer'> & Partial<Pick<Execution, 'checks'>>

/**
 * Executes a call and discards its effects.
 *
 * @param pause - called during the execution.
 * @throws TransactionRejectedError if it may not be executed at all.
 */
export async function executeCall(
  executor: Executor,
  { tx, env, state, checks = callChecks(tx), hooks }: CallExecution,
  pause: Yielder,
): Promise<Included> {
  const execution = { tx, env, state, checks, hooks }
  const executed = whenLoaded(() => executor.execute(execution, pause), pause)
  const { outcome } = executed instanceof Promise ? await executed : executed
  if (outcome.kind === 'rejected') throw outcome.error
  return outcome
}
