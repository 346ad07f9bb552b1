/** The tip: the chain's current position as one immutable value, replaced by one assignment. */

import type { BlockSettings } from '../block/attributes.ts'
import type { Payload } from '../block/payload.ts'
import type { Canonical } from '../ledger/canonical.ts'
import type { SealedEntry } from '../ledger/ledger.ts'

/** The part of the chain that a request reads, captured once per request; the mempool is read as it is. */
export interface Tip {
  /** The newest sealed block. */
  readonly head: SealedEntry
  /** The newest snapshot of the block after it. */
  readonly preconf: Payload
  /** The snapshots of this slot, oldest first, `preconf` included. */
  readonly snapshots: readonly Payload[]
  /** The snapshots of the slot before. */
  readonly previousSnapshots: readonly Payload[]
  readonly canonical: Canonical
  /** The settings of the blocks to come. */
  readonly settings: BlockSettings
}

/** Whether the block after the head has no transaction, and no timestamp was set for it. */
export function isEmpty({ preconf, settings }: Tip): boolean {
  const isTimed = settings.nextTimestamp !== undefined || settings.timestampInterval !== undefined
  return !isTimed && preconf.block.transactions.length === 0
}
