/** Errors of blocks that are imported or executed again. */
import { PresealError, TransactionRejectedError } from '../../base/errors.ts'
import type { Hash } from '../../base/types.ts'
import { InvalidBlockError } from '../../ethereum/errors.ts'

/** The execution of a stored block does not match it. */
export class ReplayError extends PresealError {
  override name = 'ReplayError'
  /** Such as `its stateRoot does not match its execution`. */
  readonly problem: string
  /**
   * @param block - its number, or its hash if the number is unknown.
   * @param problem - such as `its stateRoot does not match its execution`.
   */
  constructor(block: bigint | Hash, problem: string) {
    super(`block ${block} of the database cannot be replayed: ${problem}`)
    this.problem = problem
  }
}

/** A block to import is invalid; it has no effect, while the blocks before it stay. */
export class ImportError extends PresealError {
  override name = 'ImportError'
  /** The number that a valid block would have there. */
  readonly blockNumber: bigint
  /** @param problem - such as `its number is 3, expected 2`. */
  constructor(blockNumber: bigint, problem: string, options?: { readonly cause?: unknown }) {
    super(`block ${blockNumber} cannot be imported: ${problem}`)
    this.blockNumber = blockNumber
    if (options !== undefined) this.cause = options.cause
  }
}

/** In a verified import the second execution of a block differs from the first; the block has no effect. */
export class VerificationError extends PresealError {
  override name = 'VerificationError'
  readonly blockNumber: bigint
  /** @param difference - such as `the gasUsed of receipt 0 is 21000, for @ethereumjs 23000`. */
  constructor(blockNumber: bigint, difference: string, options?: { readonly cause?: unknown }) {
    super(`block ${blockNumber} is executed differently by @ethereumjs: ${difference}`)
    this.blockNumber = blockNumber
    if (options !== undefined) this.cause = options.cause
  }
}

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
