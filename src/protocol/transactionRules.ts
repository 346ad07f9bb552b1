/** The rules that hold for admission and for inclusion alike, which go-ethereum checks in different orders. */
import type { TransactionRejectedError } from '../primitives/errors.ts'
import {
  BlobCreationError,
  BlobFeeCapTooLowError,
  BlobHashVersionError,
  BlockGasLimitError,
  ChainIdMismatchError,
  EmptyAuthorizationListError,
  FloorDataGasError,
  InitCodeTooLargeError,
  IntrinsicGasError,
  MissingBlobHashesError,
  SetCodeCreationError,
  TipAboveFeeCapError,
  TooManyBlobsError,
  TransactionGasLimitError,
  TransactionTypeError,
} from './errors.ts'
import { type ForkRules, MAX_TRANSACTION_GAS, type UpfrontGas } from './gas.ts'
import { feeCapOf, GAS_PER_BLOB, type Transaction, type TxEnv, tipCapOf } from './transaction.ts'

/** Why a transaction may not be; undefined where nothing speaks against it. */
export type Fault = TransactionRejectedError | undefined

/** What is bound to a chain is bound to this one (EIP-155); a legacy transaction need not be bound to any. */
export function chainIdFault({ chainId }: Pick<Transaction, 'chainId'>, expected: bigint): Fault {
  if (chainId === undefined || chainId === expected) return undefined
  return new ChainIdMismatchError(chainId, expected)
}

/** Init code has at most as many bytes as the rules say (EIP-3860). */
export function initCodeFault({ to, data }: TxEnv, maxInitCodeSize: number): Fault {
  if (to !== null || data.length <= maxInitCodeSize) return undefined
  return new InitCodeTooLargeError(data.length, BigInt(maxInitCodeSize))
}

/** The gas limit is at most the block's. */
export function blockGasFault(tx: TxEnv, blockGasLimit: bigint): Fault {
  return tx.gasLimit > blockGasLimit ? new BlockGasLimitError() : undefined
}

/** The gas limit is capped from Osaka on (EIP-7825). */
export function gasCapFault({ gasLimit }: TxEnv, fork: ForkRules): Fault {
  if (!fork.osaka || gasLimit <= MAX_TRANSACTION_GAS) return undefined
  return new TransactionGasLimitError(MAX_TRANSACTION_GAS, gasLimit)
}

/** The tip is at most the fee cap (EIP-1559). */
export function tipFault(tx: TxEnv): Fault {
  return tipCapOf(tx) > feeCapOf(tx) ? new TipAboveFeeCapError() : undefined
}

/** The gas limit covers the intrinsic gas and, from Prague on, the floor of the data (EIP-7623). */
export function upfrontGasFault({ gasLimit }: TxEnv, { intrinsic, floor }: UpfrontGas): Fault {
  if (gasLimit < intrinsic) return new IntrinsicGasError(gasLimit, intrinsic)
  return gasLimit < floor ? new FloorDataGasError(gasLimit, floor) : undefined
}

/** Setting code calls somebody, and carries an authorisation (EIP-7702). */
export function setCodeFault({ type, to, authorizationList }: TxEnv): Fault {
  if (type !== 4) return undefined
  if (to === null) return new SetCodeCreationError()
  return authorizationList?.length ? undefined : new EmptyAuthorizationListError()
}

/** The most blobs of one transaction from Osaka on, whatever a block has room for (EIP-7594). */
const MAX_BLOBS_PER_TRANSACTION = 6

/**
 * Blobs call somebody, come in a number a block has room for, and are named by hashes of KZG commitments (EIP-4844).
 *
 * @param maxBlobGas - the blob gas a block may use.
 */
export function blobFault(
  { to, blobVersionedHashes: hashes }: TxEnv,
  fork: ForkRules,
  maxBlobGas: bigint,
): Fault {
  if (hashes === undefined) return undefined
  if (!fork.cancun) return new TransactionTypeError()
  if (to === null) return new BlobCreationError()
  if (hashes.length === 0) return new MissingBlobHashesError()
  const inBlock = Number(maxBlobGas / GAS_PER_BLOB)
  const permitted = fork.osaka ? Math.min(inBlock, MAX_BLOBS_PER_TRANSACTION) : inBlock
  if (hashes.length > permitted) return new TooManyBlobsError(hashes.length, permitted)
  const foreign = hashes.findIndex((hash) => !hash.startsWith('0x01'))
  return foreign < 0 ? undefined : new BlobHashVersionError(foreign)
}

/** The blob fee cap covers the blob base fee (EIP-4844). */
export function blobFeeFault(
  { blobVersionedHashes, maxFeePerBlobGas = 0n }: TxEnv,
  blobBaseFee: bigint,
): Fault {
  if (blobVersionedHashes === undefined || maxFeePerBlobGas >= blobBaseFee) return undefined
  return new BlobFeeCapTooLowError(maxFeePerBlobGas, blobBaseFee)
}
