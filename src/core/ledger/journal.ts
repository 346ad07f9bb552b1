/** What a stored chain writes beside its blocks, as the parts of a chain see it; `poolStore.ts` implements it. */
import type { Hash } from '../../base/types.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { StoredChange } from './storedChange.ts'

/** What follows a change of the tip. */
export interface JournalTip {
  /** The transactions of the block under construction, in order. */
  readonly preconfirmed: readonly Transaction[]
  /** The settings of the blocks to come. */
  readonly settings: object
  /** Transactions that leave the mempool or the block under construction with the change, and are not sealed. */
  readonly dropped?: Iterable<Hash> | undefined
}

/** See the file's header. Every write is one batch; it rejects with DatabaseWriteError, and then nothing has changed. */
export interface Journal {
  /** Writes a change of the tip before its swap. @param change - its blocks, if it has any. */
  write(change: StoredChange | undefined, tip: JournalTip): Promise<void>
  /**
   * Writes what the swap did to the mempool beyond that; undefined if it did nothing. A failure is reported, and written
   * with the next change.
   */
  settle(): Promise<void> | undefined
  /** Announces the sends that are not stored yet if the swap took them out of the mempool: before it is announced itself. */
  announceGone(): void
}

/** Writes the new value of a part, and then sets it with `apply`; rejects without doing so if it cannot be written. */
export type Recorder<Value> = (next: () => Value, apply: (value: Value) => void) => Promise<void>

/** A value that is written whenever it is another one than before. */
export interface StoredValue {
  /** Undefined if there is none. */
  read(): unknown
  encode(value: never): Uint8Array
}
