/** Errors of valid transactions that the mempool refuses. */
import { TransactionRejectedError } from '../../base/errors.ts'
import type { Hash } from '../../base/types.ts'

/** The chain's option `blobs` is off, and a blob transaction was sent (EIP-4844). */
export class BlobsRefusedError extends TransactionRejectedError {
  override name = 'BlobsRefusedError'
  constructor() {
    super('blob transactions are not accepted by this chain (its option blobs is off)')
  }
}

/** The transaction already waits or is pre-confirmed. */
export class AlreadyKnownError extends TransactionRejectedError {
  override name = 'AlreadyKnownError'
  readonly hash: Hash
  constructor(hash: Hash) {
    super('already known')
    this.hash = hash
  }
}

/** A replacement does not raise every fee field by `mempool.priceBump` percent. */
export class ReplacementUnderpricedError extends TransactionRejectedError {
  override name = 'ReplacementUnderpricedError'
  constructor() {
    super('replacement transaction underpriced')
  }
}

/** The fee is below the mempool's minimum, or the mempool is full and no waiting transaction is cheaper. */
export class UnderpricedError extends TransactionRejectedError {
  override name = 'UnderpricedError'
  constructor() {
    super('transaction underpriced')
  }
}

/** The sender already has `mempool.maxPerSender` transactions in the mempool. */
export class AccountLimitError extends TransactionRejectedError {
  override name = 'AccountLimitError'
  constructor() {
    super('account limit exceeded')
  }
}
