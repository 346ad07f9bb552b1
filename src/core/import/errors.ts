/** Errors of blocks that are imported or executed again. */
import { PresealError, TransactionRejectedError } from '../../base/errors.ts'
import type { Hash } from '../../base/types.ts'
import { InvalidBlockError } from '../../ethereum/errors.ts'

/** Executing a stored block again gives a different result. */
export class ReplayError extends PresealError {
  override name = 'ReplayError'
  /** Such as `its stateRoot does not match its execution`. */
  readonly problem: string
  /** @param block - the number, or the hash if the number is unknown. */
  constructor(block: bigint | Hash, problem: string) {
    super(`block ${block} of the database cannot be replayed: ${problem}`)
    this.problem = problem
  }
}

/** A block to import is invalid. It has no effect. The blocks before it stay imported. */
export class ImportError extends PresealError {
  override name = 'ImportError'
  /** The number that a valid block would have. */
  readonly blockNumber: bigint
  /** @param problem - such as `its number is 3, expected 2`. */
  constructor(blockNumber: bigint, problem: string, options?: { readonly cause?: unknown }) {
    super(`block ${blockNumber} cannot be imported: ${problem}`)
    this.blockNumber = blockNumber
    if (options !== undefined) this.cause = options.cause
  }
}

/** In a verified import, `@ethereumjs` executes a block differently. The block has no effect. */
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

/** Converts the rejection of a block's transaction, and no other error. @param index - the transaction's position. */
export function toBlockError(error: unknown, index: number): unknown {
  if (!(error instanceof TransactionRejectedError)) return error
  return new InvalidBlockError(`transaction ${index}: ${error.message}`, { cause: error })
}
