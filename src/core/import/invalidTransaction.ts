import { TransactionRejectedError } from '../../base/errors.ts'
import { InvalidBlockError } from '../../ethereum/errors.ts'

/**
 * The error of a block with a transaction that may not be in it; an error that does not reject the transaction
 * stays as it is.
 *
 * @param index - the transaction's.
 */
export function toBlockError(error: unknown, index: number): unknown {
  if (!(error instanceof TransactionRejectedError)) return error
  return new InvalidBlockError(`transaction ${index}: ${error.message}`, { cause: error })
}
