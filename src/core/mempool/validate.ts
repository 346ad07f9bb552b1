/** The conditions for entering the mempool, apart from its limits and replacement. */

import type { Address } from '../../base/types.ts'
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
  type TypeRules,
} from '../../ethereum/validity.ts'
import { BlobsRefusedError, UnderpricedError } from './errors.ts'

/** The minimum blob base fee in wei (EIP-4844). */
const LOWEST_BLOB_FEE = 1n

/** The rules of the next block that admission depends on. */
export interface AdmissionRules extends TypeRules {
  readonly chainId: bigint
  /** In bytes. */
  readonly maxInitCodeSize: number
  /** The maximum gas limit of a transaction (EIP-7825); undefined without one. */
  readonly maxTransactionGas: bigint | undefined
  /** Whether EIP-4844 transactions are accepted. */
  readonly blobs: boolean
  /** The gas limit of the block. */
  readonly gasLimit: bigint
  /** The maximum blob gas of the block; zero before Cancun. */
  readonly maxBlobGas: bigint
  /** Wei per gas; zero without a base fee. */
  readonly baseFee: bigint
  /** The minimum fee cap in wei per gas, set for the chain. Zero without one. */
  readonly minFeeCap: bigint
  /** The minimum fee cap in wei per gas if there is a base fee. Applies beside `minFeeCap`. */
  readonly lowestFeeCap: bigint
}

/** The account state that admission depends on. */
export interface SenderState {
  readonly nonce: bigint
  /** Wei. */
  readonly balance: bigint
  /** Whether the transaction is signed, and the sender has code other than a delegation (EIP-3607). */
  readonly isContract: boolean
  /**
   * Wei that the balance must cover in addition to the transaction's gas, value and blobs: its remaining fees, and the
   * maximum cost of the sender's waiting transactions.
   */
  readonly committed: bigint
}

/**
 * Checks chain, type, limits, gas and fees, then the sender, in go-ethereum's order. A fee cap below the base fee or a
 * nonce above the account's is no error: such a transaction waits.
 *
 * @throws ChainIdMismatchError EIP-155
 * @throws TransactionTypeError if the type is not active yet
 * @throws BlobsRefusedError for an EIP-4844 transaction, if blobs are not accepted
 * @throws InitCodeTooLargeError EIP-3860
 * @throws BlockGasLimitError if the gas limit exceeds the block's
 * @throws NonceMaxError EIP-2681
 * @throws TipAboveFeeCapError EIP-1559
 * @throws TransactionGasLimitError EIP-7825
 * @throws IntrinsicGasError if the gas limit does not cover the intrinsic gas
 * @throws FloorDataGasError EIP-7623
 * @throws UnderpricedError if the fee cap is below `minFeeCap` (with a base fee: `lowestFeeCap`), or the blob fee cap
 * is zero
 * @throws BlobCreationError, MissingBlobHashesError, TooManyBlobsError, BlobHashVersionError EIP-4844
 * @throws SetCodeCreationError, EmptyAuthorizationListError EIP-7702
 * @throws SenderNotEOAError EIP-3607
 * @throws NonceTooLowError if the nonce is used
 * @throws InsufficientFundsError if the balance does not cover the cost and `committed`
 */
export function validateTransaction(
  tx: TxEnv & Pick<Transaction, 'chainId'>,
  rules: AdmissionRules,
  sender: SenderState,
): void {
  const { fork } = rules
  refuse(checkChainId(tx, rules.chainId))
  refuse(checkType(tx, rules))
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

/** Account state, fees and rules, read from the current preconf tip. */
export interface MempoolSource {
  nonceOf(address: Address): bigint
  /** Wei. */
  balanceOf(address: Address): bigint
  /** Whether the account has code other than a delegation (EIP-3607). */
  isContract(address: Address): boolean
  /** The base fee of the next block in wei per gas; zero without one. */
  nextBaseFee(): bigint
  /** The blob base fee of the next block in wei per blob gas (EIP-4844); zero before Cancun. */
  nextBlobBaseFee(): bigint
  /** The maximum of a transaction's fees besides gas in the next block, in wei; zero on Ethereum. */
  extraFeesOf(transaction: Transaction): bigint
  /** The rules of the next block. */
  rules(): AdmissionRules
}
