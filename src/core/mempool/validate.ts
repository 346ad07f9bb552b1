/** The conditions for a transaction to enter the mempool, except the mempool's limits and replacement. */

import type { Address } from '../../base/types.ts'
import type { ForkRules } from '../../ethereum/forks.ts'
import { upfrontGas } from '../../ethereum/gas.ts'
import { feeCapOf, type Transaction, type TxEnv } from '../../ethereum/transaction.ts'
import {
  checkBlobs,
  checkBlockGas,
  checkChainId,
  checkFunds,
  checkGasCap,
  checkInitCode,
  checkNonceRange,
  checkNonceUnused,
  checkSenderCode,
  checkSetCode,
  checkTip,
  checkType,
  checkUpfrontGas,
  refuse,
} from '../../ethereum/validity.ts'
import { BlobsRefusedError, UnderpricedError } from './errors.ts'

/** The blob base fee never falls below this (EIP-4844, wei). */
const LOWEST_BLOB_FEE = 1n

/** The rules of the next block, as far as admission depends on them. */
export interface AdmissionRules {
  readonly chainId: bigint
  readonly fork: ForkRules
  /** The maximum size of initcode in bytes. */
  readonly maxInitCodeSize: number
  /** The maximum gas limit of a transaction (EIP-7825); undefined if there is none. */
  readonly maxTransactionGas: bigint | undefined
  /** Whether EIP-4844 transactions are accepted. */
  readonly blobs: boolean
  /** The block's gas limit. */
  readonly gasLimit: bigint
  /** The blob gas the block may use; zero before Cancun. */
  readonly maxBlobGas: bigint
  /** Wei per gas; zero if there is no base fee. */
  readonly baseFee: bigint
  /** Wei per gas below which no fee cap is accepted. */
  readonly minFeeCap: bigint
  /** Wei per gas below which no fee cap is accepted if there is a base fee. */
  readonly lowestFeeCap: bigint
}

/** The state of a sender that admission depends on. */
export interface SenderState {
  readonly nonce: bigint
  /** Wei. */
  readonly balance: bigint
  /** Whether it has code other than a delegation, and the transaction is signed (EIP-3607). */
  readonly isContract: boolean
  /** What its other waiting transactions can cost, in wei. */
  readonly committed: bigint
}

/**
 * Checks a transaction for admission: chain, type, limits, gas and fees first, then the sender, in go-ethereum's order.
 * A fee cap below the base fee and a nonce above the account's are not errors: such a transaction waits.
 *
 * @throws ChainIdMismatchError it is signed for another chain (EIP-155)
 * @throws TransactionTypeError the type is not active yet
 * @throws BlobsRefusedError an EIP-4844 transaction, if blobs are not accepted
 * @throws InitCodeTooLargeError EIP-3860
 * @throws BlockGasLimitError the gas limit is above the block's
 * @throws NonceMaxError EIP-2681
 * @throws TipAboveFeeCapError EIP-1559
 * @throws TransactionGasLimitError EIP-7825
 * @throws IntrinsicGasError the gas limit does not cover the intrinsic gas
 * @throws FloorDataGasError EIP-7623
 * @throws UnderpricedError the fee cap is below `minFeeCap`, or below `lowestFeeCap` if there is a base fee
 * @throws BlobCreationError, MissingBlobHashesError, TooManyBlobsError, BlobHashVersionError EIP-4844
 * @throws UnderpricedError the blob fee cap is zero
 * @throws SetCodeCreationError, EmptyAuthorizationListError EIP-7702
 * @throws SenderNotEOAError EIP-3607
 * @throws NonceTooLowError the nonce was used
 * @throws InsufficientFundsError the balance does not cover this and what is committed
 */
export function validateTransaction(
  tx: TxEnv & Pick<Transaction, 'chainId'>,
  rules: AdmissionRules,
  sender: SenderState,
): void {
  const { fork } = rules
  refuse(checkChainId(tx, rules.chainId))
  refuse(checkType(tx, fork))
  if (tx.type === 3 && !rules.blobs) throw new BlobsRefusedError()
  refuse(checkInitCode(tx, rules.maxInitCodeSize))
  refuse(checkBlockGas(tx, rules.gasLimit))
  refuse(checkNonceRange(tx.nonce))
  refuse(checkTip(tx))
  refuse(checkGasCap(tx, rules.maxTransactionGas))
  refuse(checkUpfrontGas(tx, upfrontGas(tx, fork)))
  if (rules.baseFee > 0n && feeCapOf(tx) < rules.lowestFeeCap) throw new UnderpricedError()
  if (feeCapOf(tx) < rules.minFeeCap) throw new UnderpricedError()
  refuse(checkBlobs(tx, fork, rules.maxBlobGas))
  if (tx.maxFeePerBlobGas !== undefined && tx.maxFeePerBlobGas < LOWEST_BLOB_FEE) throw new UnderpricedError()
  refuse(checkSetCode(tx))
  refuse(checkSenderCode(sender.isContract))
  refuse(checkNonceUnused(tx, sender.nonce))
  refuse(checkFunds(tx, sender.balance, sender.committed))
}

// The inputs of a mempool: its limits, and the source it reads account state, fees and rules from.

/** The limits and the order of a mempool. */
export interface MempoolOptions {
  /** Waiting transactions in all; at least 1. */
  readonly maxTransactions: number
  /** Waiting transactions of one sender; at least 1. */
  readonly maxPerSender: number
  /** Whole percent by which a replacement must raise both fee fields, and between blob transactions all three. */
  readonly priceBump: number
  /** What `best` offers first: the highest effective tip, or the earliest arrival. */
  readonly ordering: 'fees' | 'fifo'
}

/** The account state, fees and rules that the mempool reads; every function reads the current preconf tip. */
export interface MempoolSource {
  nonceOf(address: Address): bigint
  /** Wei. */
  balanceOf(address: Address): bigint
  /** Whether the account has code other than a delegation (EIP-3607). */
  isContract(address: Address): boolean
  /** Wei per gas of the block that the next tick builds; zero if it has no base fee. */
  nextBaseFee(): bigint
  /** Wei per blob gas of that block (EIP-4844); zero before Cancun. */
  nextBlobBaseFee(): bigint
  /** The rules of that block. */
  rules(): AdmissionRules
}
