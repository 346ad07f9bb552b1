/** The mempool as the journal sees it: the entries that it watches, and what was added together. */

import type { Hash } from '../../base/types.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import type { Dropped } from '../mempool/dropMemory.ts'
import type { Entry as WaitingEntry } from '../mempool/senderQueue.ts'

/** Transactions that were added to the mempool together. */
export interface Admission {
  readonly transactions: readonly Transaction[]
  /** What they replaced or evicted. */
  readonly displaced: readonly Dropped[]
  /** Called once they are stored. */
  announce(): void
  /** Called if they cannot be stored, with what could not wait again then. */
  onLost(dropped: readonly Dropped[]): void
}

/** The entries of a mempool, which remember what was set and deleted. */
export class WatchedEntries extends Map<Hash, WaitingEntry> {
  readonly changed: Set<Hash> = new Set()

  override set(hash: Hash, entry: WaitingEntry): this {
    this.changed.add(hash)
    return super.set(hash, entry)
  }

  override delete(hash: Hash): boolean {
    this.changed.add(hash)
    return super.delete(hash)
  }

  override clear(): void {
    for (const hash of this.keys()) this.changed.add(hash)
    super.clear()
  }
}
