/** What a change of the chain writes to a database, and what is written beside its blocks. */

import type { Hash } from '../../base/types.ts'
import type { Block } from '../../ethereum/block.ts'
import type { StateDifference } from '../../ethereum/state/difference.ts'
import type { Patches } from '../../ethereum/state/patch.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { Entry, Key } from './bytesDatabase.ts'

/** Entries that are written and removed with others in one batch. */
export interface BatchPart {
  readonly entries: readonly Entry[]
  readonly removed: readonly Key[]
}

/** A change of the chain, written in one batch. */
export interface StoredChange {
  /** The hash of the head after it, from which the next start resumes the chain. */
  readonly head: Hash
  /** A block that was sealed; it is the head. */
  readonly added?: Block | undefined
  /** What was written to the state of the head since it was sealed; the field is left out if that is as before. */
  readonly patched?: { readonly number: bigint; readonly patches: Patches | undefined } | undefined
  /** Blocks that were withdrawn; their hashes are unknown from then on. */
  readonly removed?: readonly Block[]
  /** How the state at the head changes; absent if the database does not keep it. */
  readonly state?: StateDifference | undefined
  /** The root of the state at the head, if that was written to since the head was sealed. */
  readonly root?: Hash | undefined
  /** The number of the block that leaves the history. */
  readonly pruned?: number | undefined
  /** What else is written in the same batch; only with a database that was given. */
  readonly part?: BatchPart
}

/** The state root of the alloc of a genesis, so that a start with the same one does not compute it. */
export interface AllocRoot {
  /** Of the alloc's text. */
  readonly digest: Hash
  readonly root: Hash
}

/** What follows a change of the tip. */
export interface JournalTip {
  /** The transactions of the block under construction, in order. */
  readonly preconfirmed: readonly Transaction[]
  /** The settings of the blocks to come. */
  readonly settings: object
  /** Transactions that leave the mempool or the block under construction with the change, and are not sealed. */
  readonly dropped?: Iterable<Hash> | undefined
}
