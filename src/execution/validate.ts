/** Whether a transaction may be executed at all: the rules of inclusion, as go-ethereum checks them. */
import {
  BlockGasLimitError,
  FeeCapTooLowError,
  FloorDataGasError,
  InitCodeTooLargeError,
  InsufficientFundsError,
  IntrinsicGasError,
  NonceMaxError,
  NonceTooHighError,
  NonceTooLowError,
  SenderNotEOAError,
  TipAboveFeeCapError,
  TransactionGasLimitError,
} from '../errors.ts'
import { MAX_INIT_CODE_SIZE, MAX_TRANSACTION_GAS } from '../gas.ts'
import { EMPTY_CODE_HASH, type StateReader } from '../state/account.ts'
import { feeCapOf, maxCost, type TxEnv, tipCapOf } from '../transaction.ts'
import type { BlockEnv, Checks, Rejected } from './executor.ts'

/** Gas that is used up before the first instruction runs. */
export interface UpfrontGas {
  readonly intrinsic: bigint
  readonly floor: bigint
}

const MAX_NONCE = 2n ** 64n - 1n

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
  }
  if (nonce >= MAX_NONCE) return reject(new NonceMaxError())
  if (checks.gasLimit) {
    if (tx.gasLimit > env.gasLimit) return reject(new BlockGasLimitError())
    if (env.rules.fork.osaka && tx.gasLimit > MAX_TRANSACTION_GAS) {
      return reject(new TransactionGasLimitError(MAX_TRANSACTION_GAS, tx.gasLimit))
    }
  }
  if (checks.senderCode && sender !== undefined && sender.codeHash !== EMPTY_CODE_HASH) {
    const delegated = env.rules.fork.prague && isDelegation(state.code(sender.codeHash))
    if (!delegated) return reject(new SenderNotEOAError())
  }
  if (feeCapOf(tx) < tipCapOf(tx)) return reject(new TipAboveFeeCapError())
  if (checks.feeCap && feeCapOf(tx) < env.baseFee) {
    return reject(new FeeCapTooLowError(feeCapOf(tx), env.baseFee), true)
  }
  if ((sender?.balance ?? 0n) < maxCost(tx)) return reject(new InsufficientFundsError())
  if (tx.gasLimit < gas.intrinsic) return reject(new IntrinsicGasError(tx.gasLimit, gas.intrinsic))
  if (tx.gasLimit < gas.floor) return reject(new FloorDataGasError(tx.gasLimit, gas.floor))
  if (tx.to === null && env.rules.fork.shanghai && tx.data.length > MAX_INIT_CODE_SIZE) {
    return reject(new InitCodeTooLargeError(tx.data.length, BigInt(MAX_INIT_CODE_SIZE)))
  }
  return undefined
}

/** Whether code is the delegation of an EIP-7702 account. */
export function isDelegation(code: Uint8Array): boolean {
  return code.length === 23 && code[0] === 0xef && code[1] === 0x01 && code[2] === 0x00
}

function reject(error: Rejected['error'], retryable = false): Rejected {
  return { kind: 'rejected', error, retryable }
}
