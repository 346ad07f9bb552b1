/** Errors of transactions, in go-ethereum's words, and of blocks that break a rule of the protocol. */
import { PresealError, TransactionRejectedError } from '../base/errors.ts'

/** A block breaks a rule of the protocol; the `cause` of an `ImportError`. */
export class InvalidBlockError extends PresealError {
  override name = 'InvalidBlockError'
  /** @param problem - such as `its stateRoot does not match its execution`. */
  constructor(problem: string, options?: { readonly cause?: unknown }) {
    super(problem)
    if (options !== undefined) this.cause = options.cause
  }
}

/** The bytes are not a transaction of a known type. */
export class TransactionDecodeError extends TransactionRejectedError {
  override name = 'TransactionDecodeError'
  constructor(reason: string) {
    super(`rlp: ${reason}`)
  }
}

/** The transaction's type is not active on this chain. */
export class TransactionTypeError extends TransactionRejectedError {
  override name = 'TransactionTypeError'
  constructor() {
    super('transaction type not supported')
  }
}

/** A blob transaction was submitted without its blobs, as blocks contain it. The mempool needs its blobs (EIP-4844). */
export class MissingSidecarError extends TransactionRejectedError {
  override name = 'MissingSidecarError'
  constructor() {
    super('missing sidecar in blob transaction')
  }
}

/** The blobs of a transaction, their commitments and their proofs do not match (EIP-4844, EIP-7594). */
export class InvalidSidecarError extends TransactionRejectedError {
  override name = 'InvalidSidecarError'
  constructor(reason: string) {
    super(`invalid blob sidecar: ${reason}`)
  }
}

/** A blob transaction has no recipient, although it cannot create a contract (EIP-4844). */
export class BlobCreationError extends TransactionRejectedError {
  override name = 'BlobCreationError'
  constructor() {
    super('blob transaction of type create')
  }
}

/** A blob transaction names no blobs (EIP-4844). */
export class MissingBlobHashesError extends TransactionRejectedError {
  override name = 'MissingBlobHashesError'
  constructor() {
    super('blob transaction missing blob hashes')
  }
}

/** A transaction has more blobs than a block may have, or since EIP-7594 than a transaction may have. */
export class TooManyBlobsError extends TransactionRejectedError {
  override name = 'TooManyBlobsError'
  constructor(got: number, permitted: number) {
    super(`too many blobs in transaction: have ${got}, permitted ${permitted}`)
  }
}

/** A versioned hash does not have the version of KZG commitments (EIP-4844). */
export class BlobHashVersionError extends TransactionRejectedError {
  override name = 'BlobHashVersionError'
  constructor(index: number) {
    super(`blob ${index} has invalid hash version`)
  }
}

/**
 * The blob fee cap is below the block's blob base fee (EIP-4844). Checked at inclusion and for calls. The mempool does
 * not check it.
 */
export class BlobFeeCapTooLowError extends TransactionRejectedError {
  override name = 'BlobFeeCapTooLowError'
  constructor(feeCap: bigint, blobBaseFee: bigint) {
    super(
      `max fee per blob gas less than block blob gas fee: blobGasFeeCap: ${feeCap}, blobBaseFee: ${blobBaseFee}`,
    )
  }
}

/** The transaction was signed for a different chain (EIP-155). */
export class ChainIdMismatchError extends TransactionRejectedError {
  override name = 'ChainIdMismatchError'
  constructor(got: bigint, expected: bigint) {
    super(`invalid chain id for signer: have ${got} want ${expected}`)
  }
}

/** The nonce is below the account's, or a transaction with it is being executed. */
export class NonceTooLowError extends TransactionRejectedError {
  override name = 'NonceTooLowError'
  constructor() {
    super('nonce too low')
  }
}

/**
 * The nonce is above the account's. Checked at inclusion, for calls that check nonces, and in the `hardhat` dialect for
 * sends that automine seals. The mempool does not check it.
 */
export class NonceTooHighError extends TransactionRejectedError {
  override name = 'NonceTooHighError'
  constructor() {
    super('nonce too high')
  }
}

/** The nonce is 2^64 - 1, which no transaction may have (EIP-2681). */
export class NonceMaxError extends TransactionRejectedError {
  override name = 'NonceMaxError'
  constructor() {
    super('nonce has max value')
  }
}

/** The sender cannot pay for gas and value; in the mempool, on top of its transactions that wait there. */
export class InsufficientFundsError extends TransactionRejectedError {
  override name = 'InsufficientFundsError'
  constructor() {
    super('insufficient funds for gas * price + value')
  }
}

/** The gas limit does not cover the intrinsic gas. */
export class IntrinsicGasError extends TransactionRejectedError {
  override name = 'IntrinsicGasError'
  /** The gas limit. */
  readonly have: bigint
  /** The gas that the transaction needs. */
  readonly want: bigint
  constructor(have: bigint, want: bigint) {
    super(`intrinsic gas too low: have ${have}, want ${want}`)
    this.have = have
    this.want = want
  }
}

/** The gas limit is below the floor price of the calldata (EIP-7623). */
export class FloorDataGasError extends TransactionRejectedError {
  override name = 'FloorDataGasError'
  /** The gas limit. */
  readonly have: bigint
  /** The gas that the transaction needs. */
  readonly want: bigint
  constructor(have: bigint, want: bigint) {
    super(`insufficient gas for floor data gas cost: have ${have}, want ${want}`)
    this.have = have
    this.want = want
  }
}

/** The gas limit is above the block's. */
export class BlockGasLimitError extends TransactionRejectedError {
  override name = 'BlockGasLimitError'
  constructor() {
    super('exceeds block gas limit')
  }
}

/** The gas limit is above the limit of one transaction (EIP-7825), which the option `transactionGasCap` can lift. */
export class TransactionGasLimitError extends TransactionRejectedError {
  override name = 'TransactionGasLimitError'
  constructor(cap: bigint, got: bigint) {
    super(
      `transaction gas limit too high (cap: ${cap}, tx: ${got}); the option transactionGasCap: false lifts the cap`,
    )
  }
}

/** The priority fee is above the fee cap. */
export class TipAboveFeeCapError extends TransactionRejectedError {
  override name = 'TipAboveFeeCapError'
  /** The priority fee in wei per gas. */
  readonly tip: bigint
  /** The fee cap in wei per gas. */
  readonly feeCap: bigint
  constructor(tip: bigint, feeCap: bigint) {
    super('max priority fee per gas higher than max fee per gas')
    this.tip = tip
    this.feeCap = feeCap
  }
}

/**
 * The fee cap is below the block's base fee. Checked at inclusion, for calls, and in the `hardhat` dialect for sends that
 * automine seals. The mempool does not check it.
 */
export class FeeCapTooLowError extends TransactionRejectedError {
  override name = 'FeeCapTooLowError'
  constructor(feeCap: bigint, baseFee: bigint) {
    super(`max fee per gas less than block base fee: maxFeePerGas: ${feeCap}, baseFee: ${baseFee}`)
  }
}

/** The initcode of a creation is longer than EIP-3860 allows. */
export class InitCodeTooLargeError extends TransactionRejectedError {
  override name = 'InitCodeTooLargeError'
  /** In bytes, like the limit. */
  readonly size: number
  readonly limit: bigint
  constructor(size: number, limit: bigint) {
    super(`max initcode size exceeded: code size ${size} limit ${limit}`)
    this.size = size
    this.limit = limit
  }
}

/** The sender has code other than a delegation (EIP-3607). */
export class SenderNotEOAError extends TransactionRejectedError {
  override name = 'SenderNotEOAError'
  constructor() {
    super('sender not an eoa')
  }
}

/** A set-code transaction has no authorisations (EIP-7702). */
export class EmptyAuthorizationListError extends TransactionRejectedError {
  override name = 'EmptyAuthorizationListError'
  constructor() {
    super('EIP-7702 transaction with empty auth list')
  }
}

/** A set-code transaction has no recipient, although it cannot create a contract (EIP-7702). */
export class SetCodeCreationError extends TransactionRejectedError {
  override name = 'SetCodeCreationError'
  constructor() {
    super('EIP-7702 transaction cannot be used to create contract')
  }
}
