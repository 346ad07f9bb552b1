/** The changes that a chain writes to a database. */

import type { Hash } from '../../base/types.ts'
import type { Block } from '../../ethereum/block.ts'
import type { StateDifference } from '../../ethereum/state/difference.ts'
import type { Patches } from '../../ethereum/state/patch.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { Entry, Key } from './bytesDatabase.ts'

/** Entries to write and keys to remove, as a part of a batch. */
export interface BatchPart {
  readonly entries: readonly Entry[]
  readonly removed: readonly Key[]
}

/** A change of entries that have an index in memory. */
export interface EntriesChange extends BatchPart {
  /** Must be called after the write. */
  applied(): void
}

/** A change of no entries. */
export const NOTHING: EntriesChange = { entries: [], removed: [], applied: () => {} }

/** A change of the chain, written in one batch. */
export interface StoredChange {
  /** The head after the change, from which the next start resumes. */
  readonly head: Hash
  readonly added?: Block | undefined
  /**
   * All writes to the head's state since its seal. Absent if this change leaves them as they were. `patches` is
   * undefined if this change undoes all of them.
   */
  readonly patched?: { readonly number: bigint; readonly patches: Patches | undefined } | undefined
  readonly removed?: readonly Block[]
  /** The change of the head's state; absent if the database does not store the state. */
  readonly state?: StateDifference | undefined
  /** The root of the head's state, if it was written to since the seal. */
  readonly root?: Hash | undefined
  /** The number of the block that leaves the history. */
  readonly pruned?: number | undefined
  /** More entries for the batch. Only for a caller's database. */
  readonly part?: BatchPart
}

/** The state root of a genesis alloc. A start with the same alloc need not compute it again. */
export interface AllocRoot {
  /** The hash of the alloc's text. */
  readonly digest: Hash
  readonly root: Hash
}

/** The parts of a new tip that the journal stores. */
export interface JournalTip {
  /** The transactions of the block under construction, in order. */
  readonly preconfirmed: readonly Transaction[]
  readonly settings: object
  /** The `Draft` of the block under construction. */
  readonly draft: object
  /** Transactions that leave the mempool or the block under construction without being sealed. */
  readonly dropped?: Iterable<Hash> | undefined
  /** Absent unless the tip is a snapshot's, or the first one. */
  readonly reverted?: RevertedTo | undefined
}

/** The snapshot to which a chain reverts; later ones are removed. No snapshot has the id 0. */
export interface RevertedTo {
  readonly id: number
  /** Whether the snapshot itself stays. */
  readonly keep: boolean
}
