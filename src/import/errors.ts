/** Errors of blocks that are imported or replayed. */
import { PresealError } from '../primitives/errors.ts'
import type { Hash } from '../primitives/types.ts'

/** A block of the database is missing, or does not re-execute to the header it was stored with. */
export class ReplayError extends PresealError {
  override name = 'ReplayError'
  /**
   * @param block - its number, or its hash where no more is known.
   * @param problem - such as `its stateRoot differs`.
   */
  constructor(block: bigint | Hash, problem: string) {
    super(`block ${block} of the database cannot be replayed: ${problem}`)
  }
}

/** A block that was to be imported is invalid; nothing of it stays, while those before it do. */
export class ImportError extends PresealError {
  override name = 'ImportError'
  /** The number a valid block would have in its place. */
  readonly blockNumber: bigint
  /** @param problem - such as `its gasUsed is 1, expected 21000`. */
  constructor(blockNumber: bigint, problem: string, options?: { readonly cause?: unknown }) {
    super(`block ${blockNumber} cannot be imported: ${problem}`)
    this.blockNumber = blockNumber
    if (options !== undefined) this.cause = options.cause
  }
}
