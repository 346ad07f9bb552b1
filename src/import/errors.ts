/** Errors of blocks that are imported or replayed. */
import { PresealError } from '../primitives/errors.ts'
import type { Hash } from '../primitives/types.ts'

/** A block of the database is missing or unreadable, or its execution does not match the stored block. */
export class ReplayError extends PresealError {
  override name = 'ReplayError'
  /**
   * @param block - its number, or its hash if the number is unknown.
   * @param problem - such as `its stateRoot does not match its execution`.
   */
  constructor(block: bigint | Hash, problem: string) {
    super(`block ${block} of the database cannot be replayed: ${problem}`)
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
