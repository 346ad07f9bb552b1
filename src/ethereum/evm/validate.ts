/** The rules of inclusion of a transaction, in go-ethereum's order. */
import { bytesToHex } from '../../base/bytes.ts'
import type { TransactionRejectedError } from '../../base/errors.ts'
import type { Address } from '../../base/types.ts'
import type { UpfrontGas } from '../gas.ts'
import { type AccountRecord, EMPTY_CODE_HASH, MAX_BALANCE, type StateReader } from '../state/account.ts'
import type { TxEnv } from '../transaction.ts'
import {
  checkBlobFeeCap,
  checkBlobs,
  checkBlockGas,
  checkFeeCap,
  checkFunds,
  checkGasCap,
  checkInitCode,
  checkNonceRange,
  checkNonceReached,
  checkNonceUnused,
  checkSenderCode,
  checkSetCode,
  checkTip,
  checkUpfrontGas,
} from '../validity.ts'
import type { BlockEnv, Checks, Rejected } from './executor.ts'

/**
 * Why the transaction may not be executed on this state in this block; undefined if it may.
 *
 * @param extraFees - the maximum of its fees besides gas, in wei.
 */
export function findRejection(
  tx: TxEnv,
  env: BlockEnv,
  state: StateReader,
  checks: Checks,
  gas: UpfrontGas,
  extraFees: bigint,
): Rejected | undefined {
  const { fork, maxInitCodeSize, maxTransactionGas, blobs } = env.rules
  const sender = state.account(tx.from)
  const nonce = sender?.nonce ?? 0n
  if (checks.nonce) {
    const used = checkNonceUnused(tx, nonce)
    if (used !== undefined) return reject(used)
    const early = checkNonceReached(tx, nonce)
    if (early !== undefined) return reject(early, true)
    const last = checkNonceRange(nonce)
    if (last !== undefined) return reject(last)
  }
  const invalid =
    (checks.gasLimit ? (checkBlockGas(tx, env.gasLimit) ?? checkGasCap(tx, maxTransactionGas)) : undefined) ??
    (checks.senderCode ? checkSenderCode(isContract(sender, state, fork.prague)) : undefined) ??
    checkTip(tx)
  if (invalid !== undefined) return reject(invalid)
  const unaffordable = checks.feeCap ? checkFeeCap(tx, env.baseFee) : undefined
  if (unaffordable !== undefined) return reject(unaffordable, true)
  const unfit = checkBlobs(tx, fork, blobs.maxGas)
  if (unfit !== undefined) return reject(unfit)
  const tooCheap = checks.blobFeeCap ? checkBlobFeeCap(tx, env.blobBaseFee) : undefined
  if (tooCheap !== undefined) return reject(tooCheap, true)
  const broken =
    checkSetCode(tx) ??
    checkFunds(tx, checks.funds ? (sender?.balance ?? 0n) : MAX_BALANCE, extraFees) ??
    checkUpfrontGas(tx, gas) ??
    checkInitCode(tx, maxInitCodeSize)
  return broken === undefined ? undefined : reject(broken)
}

function isContract(account: AccountRecord | undefined, state: StateReader, delegations: boolean): boolean {
  if (account === undefined || account.codeHash === EMPTY_CODE_HASH) return false
  return !(delegations && isDelegation(state.code(account.codeHash)))
}

/** Whether code is a delegation (EIP-7702). */
export function isDelegation(code: Uint8Array): boolean {
  return code.length === 23 && code[0] === 0xef && code[1] === 0x01 && code[2] === 0x00
}

/** The account that code delegates to (EIP-7702); undefined if the code is not a delegation. */
export function delegateOf(code: Uint8Array): Address | undefined {
  return isDelegation(code) ? bytesToHex(code.subarray(3)) : undefined
}

function reject(error: TransactionRejectedError, retryable = false): Rejected {
  return { kind: 'rejected', error, retryable }
}
