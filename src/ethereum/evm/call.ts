/** Calls, whose effects are discarded, and searches by repeated calls: gas limits and access lists. */
import { bytesToHex, ZERO_ADDRESS } from '../../base/bytes.ts'
import type { Crypto } from '../../base/crypto/crypto.ts'
import type { AccessListEntry, Address, Hash, Mutable } from '../../base/types.ts'
import { whenLoaded, type Yielder } from '../../base/waiting.ts'
import { createdAddress } from '../createdAddress.ts'
import { FloorDataGasError, IntrinsicGasError } from '../errors.ts'
import { feeCapOf, NO_ACCESS_LIST, NO_DATA, type TxEnv, tipCapOf } from '../transaction.ts'
import { signedAuthorizations } from './authorizations.ts'
import {
  AccessListConvergenceError,
  ExecutionFailedError,
  ExecutionRevertedError,
  GasAllowanceError,
} from './errors.ts'
import type { Checks, Execution, Executor, Included } from './executor.ts'
import { Touched } from './hooks.ts'
import { precompilesOf } from './precompiles.ts'

/** The fields of a call (spec.md §2.2). */
export interface CallFields extends Partial<Omit<TxEnv, 'type' | 'to' | 'gasLimit'>> {
  /** Absent for a creation. */
  readonly to?: Address
  readonly gas?: bigint
}

/**
 * Converts a call to a transaction.
 *
 * @param unpriced - the type if the call sets no fee and no field that requires a later type.
 */
export function callToTxEnv(
  call: CallFields,
  { nonce, gasLimit, unpriced }: { nonce: bigint; gasLimit: bigint; unpriced: 0 | 2 },
): TxEnv {
  const { gasPrice, accessList, authorizationList, blobVersionedHashes } = call
  const type = typeOf(call, unpriced)
  const tx: Mutable<TxEnv> = {
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
    tx.maxFeePerGas = call.maxFeePerGas ?? gasPrice ?? 0n
    tx.maxPriorityFeePerGas = call.maxPriorityFeePerGas ?? gasPrice ?? 0n
  }
  if (type > 0) tx.accessList = accessList ?? NO_ACCESS_LIST
  if (authorizationList !== undefined) tx.authorizationList = authorizationList
  if (blobVersionedHashes !== undefined) {
    tx.blobVersionedHashes = blobVersionedHashes
    tx.maxFeePerBlobGas = call.maxFeePerBlobGas ?? 0n
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

/** The checks of a call. @param pays - whether to check the funds, and the fee caps that the call sets. */
export function callChecks(tx: TxEnv, pays = true): Checks {
  return {
    nonce: false,
    senderCode: false,
    gasLimit: false,
    feeCap: pays && (feeCapOf(tx) > 0n || tipCapOf(tx) > 0n),
    blobFeeCap: pays && (tx.maxFeePerBlobGas ?? 0n) > 0n,
    funds: pays,
    extraFees: feeCapOf(tx) > 0n,
  }
}

type CallExecution = Omit<Execution, 'checks' | 'mayDefer'> & Partial<Pick<Execution, 'checks'>>

/** Executes a call and discards its effects. @throws TransactionRejectedError if it may not be executed at all. */
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

/** The stipend of a call with value; go-ethereum adds it to its first guess too. */
const CALL_STIPEND = 2300n

/**
 * Estimates gas by executing the call, first with the whole allowance. Most code also succeeds if its limit is the gas
 * used in this execution, before refunds. The engine often knows that it does; otherwise a second execution tries it.
 * If the call then fails, because of EIP-150 or code that reads its gas, a binary search finds a limit.
 *
 * @param call - its transaction's gas limit is the allowance.
 * @throws ExecutionRevertedError, ExecutionFailedError, GasAllowanceError if no limit within the allowance succeeds.
 * @throws TransactionRejectedError if the call may not be executed at all.
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
  if (most.error === 'out of gas') throw new GasAllowanceError(allowance)
  if (!most.succeeded) throw toFailure(most)

  if (most.dependsOnGas === false || (await run(most.peakGas)).succeeded) return most.peakGas
  let fails = most.peakGas
  let succeeds = allowance
  const guess = ((most.peakGas + CALL_STIPEND) * 64n) / 63n
  if (guess < allowance) {
    if ((await run(guess)).succeeded) succeeds = guess
    else fails = guess
  }
  // A 128th is less than the one percent by which an estimate may exceed the lowest limit.
  while (succeeds - fails > 1n + succeeds / 128n) {
    const middle = (fails + succeeds) / 2n
    if ((await run(middle)).succeeded) succeeds = middle
    else fails = middle
  }
  return succeeds
}

/** Returns the error of an execution that failed. */
export function toFailure({ error, output }: Pick<Included, 'error' | 'output'>): Error {
  return error === 'execution reverted'
    ? new ExecutionRevertedError(bytesToHex(output))
    : new ExecutionFailedError(error!)
}

/** Ends the search of {@link createAccessList}: code that depends on its gas can touch a new slot in each execution. */
const MAX_RUNS = 1000

/**
 * Executes a call until its access list has everything that it touches. It may touch more with a different list, since
 * the list changes its gas.
 *
 * Accounts that are always warm are listed only with slots: sender, recipient or created contract, precompiles and
 * EIP-7702 authorities. Addresses and slots are in ascending order, as in go-ethereum.
 *
 * @param call - the search starts from its transaction's access list, without warm accounts that have no slots.
 * @throws TransactionRejectedError if the call may not be executed at all.
 * @throws AccessListConvergenceError if each of a thousand executions touched something new.
 */
export async function createAccessList(
  executor: Executor,
  call: CallExecution,
  crypto: Crypto,
  pause: Yielder,
): Promise<Pick<Included, 'gasUsed' | 'error'> & { readonly accessList: readonly AccessListEntry[] }> {
  const { tx, env, state, checks = callChecks(tx) } = call
  const { fork, chainId } = env.rules
  const warm = new Set<Address>([
    tx.from,
    tx.to ?? createdAddress(tx.from, state.account(tx.from)?.nonce ?? 0n),
    ...precompilesOf(fork),
    ...signedAuthorizations(tx, chainId, crypto).map(({ authority }) => authority),
  ])
  const touched = new Touched()
  const onAccess = (address: Address, slot?: Hash): void => {
    if (slot !== undefined || !warm.has(address)) touched.add(address, slot)
  }
  for (const { address, storageKeys } of tx.accessList ?? []) {
    onAccess(address)
    for (const key of storageKeys) onAccess(address, key)
  }
  for (let runs = 0; runs < MAX_RUNS; runs++) {
    const { size } = touched
    const accessList = touched.sorted()
    // `run` is listed field by field: a spread of `call` would take a tenth of the time of a short call.
    const run = { tx: { ...tx, accessList }, env, state, checks, hooks: { onAccess } }
    const outcome = await executeCall(executor, run, pause)
    await pause()
    if (touched.size > size) continue
    const { gasUsed, error } = outcome
    return { accessList, gasUsed, ...(error !== undefined && { error }) }
  }
  throw new AccessListConvergenceError()
}
