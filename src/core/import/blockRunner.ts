/** The interface of what executes external blocks, the chain's own state transition or @ethereumjs, and how it refuses a block. */

import { TransactionRejectedError } from '../../base/errors.ts'
import type { Hash } from '../../base/types.ts'
import type { Receipt, StoredBlock } from '../../ethereum/block.ts'
import { InvalidBlockError } from '../../ethereum/errors.ts'
import type { Header } from '../../ethereum/header.ts'
import type { Rules } from '../../ethereum/rules.ts'
import type { StateReader } from '../../ethereum/state/account.ts'
import type { Overlay } from '../../ethereum/state/overlay.ts'
import type { StateTrie } from '../../ethereum/state/stateTrie.ts'
import type { Transaction } from '../../ethereum/transaction.ts'

/** The state that a block is executed on. */
export interface BlockParent {
  readonly state: StateReader
  readonly stateTrie: StateTrie
  /** Hashes of the block's ancestors. */
  hashAt(number: bigint): Hash | undefined
}

/** The result of executing a block. */
export interface BlockRun {
  readonly receipts: readonly Receipt[]
  /** The block's writes; must not be written to. */
  readonly overlay: Overlay
  readonly stateTrie: StateTrie
}

/** Executes blocks whose header, body and uncles were validated (`executeBlock.ts`). */
export interface BlockRunner {
  /**
   * Executes a block, and compares the result with its header. Calls must not overlap.
   *
   * @param transactions - those of `stored`, decoded.
   * @param rulesOf - the rules of an uncle.
   * @throws InvalidBlockError if a transaction may not be in it, if a field of its header differs, and since Prague if
   *   a request contract has no code or fails.
   */
  run(
    stored: StoredBlock,
    transactions: readonly Transaction[],
    rules: Rules,
    parent: BlockParent,
    rulesOf: (header: Header) => Rules,
  ): Promise<BlockRun>
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
