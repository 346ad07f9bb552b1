/** Whether a transaction may be executed at all: the rules of inclusion, as go-ethereum checks them. */
import { bytesToHex } from '../primitives/bytes.ts'
import type { TransactionRejectedError } from '../primitives/errors.ts'
import type { Address } from '../primitives/types.ts'
import {
  FeeCapTooLowError,
  InsufficientFundsError,
  NonceMaxError,
  NonceTooHighError,
  NonceTooLowError,
  SenderNotEOAError,
} from '../protocol/errors.ts'
import type { UpfrontGas } from '../protocol/gas.ts'
import { feeCapOf, MAX_NONCE, maxCost, type TxEnv } from '../protocol/transaction.ts'
import {
  blobFault,
  blobFeeFault,
  blockGasFault,
  gasCapFault,
  initCodeFault,
  setCodeFault,
  tipFault,
  upfrontGasFault,
} from '../protocol/transactionRules.ts'
import { EMPTY_CODE_HASH, MAX_BALANCE, type StateReader } from '../state/account.ts'
import type { BlockEnv, Checks, Rejected } from './executor.ts'

/** @returns why the transaction may not be executed on this state in this block, or undefined. */
export function findRejection(
  tx: TxEnv,
  env: BlockEnv,
  state: StateReader,
  checks: Checks,
  gas: UpfrontGas,
): Rejected | undefined {
  const sender = state.account(tx.from)
  const nonce = sender?.nonce ?? 0n
  if (checks.nonce) {
    if (tx.nonce < nonce) return reject(new NonceTooLowError())
    if (tx.nonce > nonce) return reject(new NonceTooHighError(), true)
    if (nonce >= MAX_NONCE) return reject(new NonceMaxError())
  }
  const { fork, maxInitCodeSize } = env.rules
  const overLimit = checks.gasLimit ? (blockGasFault(tx, env.gasLimit) ?? gasCapFault(tx, fork)) : undefined
  if (overLimit !== undefined) return reject(overLimit)
  if (checks.senderCode && sender !== undefined && sender.codeHash !== EMPTY_CODE_HASH) {
    const delegated = fork.prague && isDelegation(state.code(sender.codeHash))
    if (!delegated) return reject(new SenderNotEOAError())
  }
  const tipTooHigh = tipFault(tx)
  if (tipTooHigh !== undefined) return reject(tipTooHigh)
  if (checks.feeCap && feeCapOf(tx) < env.baseFee) {
    return reject(new FeeCapTooLowError(feeCapOf(tx), env.baseFee), true)
  }
  if (tx.blobVersionedHashes !== undefined) {
    const unfit = blobFault(tx, fork, env.rules.blobs.maxGas)
    if (unfit !== undefined) return reject(unfit)
    const tooCheap = checks.blobFeeCap ? blobFeeFault(tx, env.blobBaseFee) : undefined
    if (tooCheap !== undefined) return reject(tooCheap, true)
  }
  const malformed = setCodeFault(tx)
  if (malformed !== undefined) return reject(malformed)
  const funds = checks.funds ? (sender?.balance ?? 0n) : MAX_BALANCE
  if (maxCost(tx) > funds) return reject(new InsufficientFundsError())
  const tooLittle = upfrontGasFault(tx, gas) ?? initCodeFault(tx, maxInitCodeSize)
  return tooLittle === undefined ? undefined : reject(tooLittle)
}

/** Whether code is the delegation of an EIP-7702 account. */
export function isDelegation(code: Uint8Array): boolean {
  return code.length === 23 && code[0] === 0xef && code[1] === 0x01 && code[2] === 0x00
}

/** Whose code an account lends its address to, if its code is a delegation (EIP-7702). */
export function delegateOf(code: Uint8Array): Address | undefined {
  return isDelegation(code) ? bytesToHex(code.subarray(3)) : undefined
}

function reject(error: TransactionRejectedError, retryable = false): Rejected {
  return { kind: 'rejected', error, retryable }
}
