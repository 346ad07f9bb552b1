/** The operations available to the holder of the sequencer's lock. */

import type { RetractionReason } from '../../base/eventTypes.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { BlockSettings, NextBlock } from '../block/attributes.ts'
import type { SealedEntry } from '../ledger/ledger.ts'
import type { Dropped } from '../mempool/mempool.ts'
import type { includeAgain } from './include.ts'
import type { Publisher } from './publisher.ts'
import type { Change, RewindTarget } from './rebuildPending.ts'
import type { Tip } from './tip.ts'

/** Operations that only the holder of the lock may run. */
export interface Writer {
  /** The current tip. */
  tip(): Tip
  /** The place of the block under construction. */
  next(): NextBlock
  /** See {@link Publisher.replace}. */
  readonly replace: Publisher['replace']
  /** See {@link Publisher.begin}. */
  readonly begin: Publisher['begin']
  /** Applies changes, and rebuilds the block under construction if they affect it; see {@link rebuildPending}. */
  rebuildPending(change: Change, reason: RetractionReason): Promise<void>
  /** Restarts the chain from a sealed block; see {@link rewind}. */
  rewind(
    target: Pick<RewindTarget, 'entry' | 'settings'>,
    reason: RetractionReason,
    updateMempool: () => readonly Dropped[],
  ): Promise<void>
  /**
   * Includes what waits, then seals the block.
   *
   * @param update - changes the settings of the blocks after it.
   * @throws DisconnectedError after `close`.
   */
  seal(update?: SettingsUpdate): Promise<SealedEntry>
  /** Seals an empty block under construction with just these transactions; what cannot be included is left out. */
  sealExactly(transactions: readonly Transaction[]): Promise<SealedEntry>
  /** See {@link includeAgain}. */
  includeAgain(transactions: readonly Transaction[]): Promise<void>
}

/** Changes the settings of the blocks after one that is sealed; `settings` are those without the change. */
export type SettingsUpdate = (settings: BlockSettings, next: NextBlock) => BlockSettings
