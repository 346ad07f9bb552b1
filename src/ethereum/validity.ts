/**
 * The rules that make a transaction valid, one function each. The mempool, calls and the state transition choose which
 * of them apply, in which order (go-ethereum has several orders too), and whether a broken rule throws.
 */
import type { TransactionRejectedError } from '../base/errors.ts'
import type { Hash } from '../base/types.ts'
import type { ChainSpec } from './chainSpec.ts'
import {
  BlobCreationError,
  BlobFeeCapTooLowError,
  BlobHashVersionError,
  BlockGasLimitError,
  ChainIdMismatchError,
  EmptyAuthorizationListError,
  FeeCapTooLowError,
  FloorDataGasError,
  InitCodeTooLargeError,
  InsufficientFundsError,
  IntrinsicGasError,
  MissingBlobHashesError,
  NonceMaxError,
  NonceTooHighError,
  NonceTooLowError,
  SenderNotEOAError,
  SetCodeCreationError,
  TipAboveFeeCapError,
  TooManyBlobsError,
  TransactionGasLimitError,
  TransactionTypeError,
} from './errors.ts'
import { FORKS, type ForkName, type ForkRules } from './forks.ts'
import type { UpfrontGas } from './gas.ts'
import {
  feeCapOf,
  GAS_PER_BLOB,
  MAX_NONCE,
  maxCost,
  type Transaction,
  type TransactionType,
  type TxEnv,
  type TxFields,
  tipCapOf,
} from './transaction.ts'

/** Why a transaction is invalid; undefined if the rule holds. */
type TransactionError = TransactionRejectedError | undefined

/** Throws the error, if there is one. */
export function refuse(error: TransactionError): void {
  if (error !== undefined) throw error
}

/** The chain id is this chain's (EIP-155); a legacy transaction may have none. */
export function checkChainId({ chainId }: Pick<Transaction, 'chainId'>, expected: bigint): TransactionError {
  if (chainId === undefined || chainId === expected) return undefined
  return new ChainIdMismatchError(chainId, expected)
}

/** Initcode has at most as many bytes as the rules allow (EIP-3860). */
export function checkInitCode({ to, data }: TxFields, maxInitCodeSize: number): TransactionError {
  if (to !== null || data.length <= maxInitCodeSize) return undefined
  return new InitCodeTooLargeError(data.length, BigInt(maxInitCodeSize))
}

/** The gas limit is at most the block's. */
export function checkBlockGas(tx: TxEnv, blockGasLimit: bigint): TransactionError {
  return tx.gasLimit > blockGasLimit ? new BlockGasLimitError() : undefined
}

/** The gas limit is at most the cap (EIP-7825). @param cap - undefined before Osaka, or if the chain has lifted it. */
export function checkGasCap({ gasLimit }: TxFields, cap: bigint | undefined): TransactionError {
  return cap === undefined || gasLimit <= cap ? undefined : new TransactionGasLimitError(cap, gasLimit)
}

/** The tip is at most the fee cap (EIP-1559). */
export function checkTip(tx: TxFields): TransactionError {
  const [tip, feeCap] = [tipCapOf(tx), feeCapOf(tx)]
  return tip > feeCap ? new TipAboveFeeCapError(tip, feeCap) : undefined
}

/** The gas limit covers the intrinsic gas and, since Prague, the calldata floor (EIP-7623). */
export function checkUpfrontGas({ gasLimit }: TxEnv, { intrinsic, floor }: UpfrontGas): TransactionError {
  if (gasLimit < intrinsic) return new IntrinsicGasError(gasLimit, intrinsic)
  return gasLimit < floor ? new FloorDataGasError(gasLimit, floor) : undefined
}

/** A set-code transaction has a recipient and at least one authorisation (EIP-7702). */
export function checkSetCode({ type, to, authorizationList }: TxFields): TransactionError {
  if (type !== 4) return undefined
  if (to === null) return new SetCodeCreationError()
  return authorizationList?.length ? undefined : new EmptyAuthorizationListError()
}

/** The maximum number of blobs of a transaction since Osaka, even if a block may have more (EIP-7594). */
const MAX_BLOBS_PER_TRANSACTION = 6

/**
 * A blob transaction has a recipient and a permitted number of blobs ({@link checkBlobCount}). Its versioned hashes are
 * of KZG commitments (EIP-4844).
 *
 * @param maxBlobGas - the maximum blob gas of a block.
 */
export function checkBlobs(
  { to, blobVersionedHashes: hashes }: TxFields,
  fork: ForkRules,
  maxBlobGas: bigint,
): TransactionError {
  if (hashes === undefined) return undefined
  if (!fork.cancun) return new TransactionTypeError()
  if (to === null) return new BlobCreationError()
  const error = checkBlobCount(hashes.length, fork, maxBlobGas)
  if (error !== undefined) return error
  const other = hashes.findIndex((hash) => !isBlobHash(hash))
  return other < 0 ? undefined : new BlobHashVersionError(other)
}

/** A blob transaction has at least one blob, and at most as many as a block; since Osaka at most 6 (EIP-7594). */
export function checkBlobCount(count: number, fork: ForkRules, maxBlobGas: bigint): TransactionError {
  if (count === 0) return new MissingBlobHashesError()
  const inBlock = Number(maxBlobGas / GAS_PER_BLOB)
  const permitted = fork.osaka ? Math.min(inBlock, MAX_BLOBS_PER_TRANSACTION) : inBlock
  return count > permitted ? new TooManyBlobsError(count, permitted) : undefined
}

/** Whether a versioned hash has the version of KZG commitments (EIP-4844). */
export function isBlobHash(hash: Hash): boolean {
  return hash.startsWith('0x01')
}

/** The blob fee cap covers the blob base fee (EIP-4844). */
export function checkBlobFeeCap(
  { blobVersionedHashes, maxFeePerBlobGas = 0n }: TxEnv,
  blobBaseFee: bigint,
): TransactionError {
  if (blobVersionedHashes === undefined || maxFeePerBlobGas >= blobBaseFee) return undefined
  return new BlobFeeCapTooLowError(maxFeePerBlobGas, blobBaseFee)
}

/** The fork that adds each type of transactions; undefined for legacy. */
const FORKS_OF_TYPES: readonly (ForkName | undefined)[] = [0, 1, 2, 3, 4].map(
  (type) => FORKS.find(({ transactionType }) => transactionType === type)?.name as ForkName | undefined,
)

/** The rules that decide which types of transactions exist. */
export interface TypeRules {
  readonly fork: ForkRules
  readonly spec?: ChainSpec | undefined
}

/** The fork and the chain have transactions of this type (EIP-2718). */
export function checkType(
  { type }: { readonly type: TransactionType },
  { fork, spec }: TypeRules,
): TransactionError {
  const since = FORKS_OF_TYPES[type]
  const isActive = since === undefined || fork[since]
  return isActive && spec?.transactionTypes?.includes(type) !== false ? undefined : new TransactionTypeError()
}

/** The nonce is below the maximum (EIP-2681). */
export function checkNonceRange(nonce: bigint): TransactionError {
  return nonce >= MAX_NONCE ? new NonceMaxError() : undefined
}

/** The nonce was not used yet. */
export function checkNonceUnused({ nonce }: TxEnv, next: bigint): TransactionError {
  return nonce < next ? new NonceTooLowError() : undefined
}

/** The nonce does not leave a gap. */
export function checkNonceReached({ nonce }: TxEnv, next: bigint): TransactionError {
  return nonce > next ? new NonceTooHighError() : undefined
}

/** The sender is not a contract: it has no code, or only a delegation (EIP-3607, EIP-7702). */
export function checkSenderCode(isContract: boolean): TransactionError {
  return isContract ? new SenderNotEOAError() : undefined
}

/** The fee cap covers the base fee (EIP-1559). */
export function checkFeeCap(tx: TxEnv, baseFee: bigint): TransactionError {
  const feeCap = feeCapOf(tx)
  return feeCap < baseFee ? new FeeCapTooLowError(feeCap, baseFee) : undefined
}

/** The funds cover the maximum cost of the transaction and `committed`, to which callers add its fees besides gas. */
export function checkFunds(tx: TxEnv, funds: bigint, committed = 0n): TransactionError {
  return committed + maxCost(tx) > funds ? new InsufficientFundsError() : undefined
}

/** Whether fee caps cover the fees of a block; `blobFeeCap` is undefined without blobs. */
export function coversFees(
  { feeCap, blobFeeCap }: { readonly feeCap: bigint; readonly blobFeeCap: bigint | undefined },
  baseFee: bigint,
  blobBaseFee: bigint,
): boolean {
  return feeCap >= baseFee && (blobFeeCap === undefined || blobFeeCap >= blobBaseFee)
}
