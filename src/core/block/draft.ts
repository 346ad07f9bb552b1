/** The block under construction as a database keeps it, so that a restart builds the same preconf blocks again. */

import type { Hash } from '../../base/types.ts'
import type { PayloadAttributes } from './attributes.ts'
import type { Payload } from './payload.ts'

/** The database's entry for the block under construction. The hashes of its transactions are a separate entry. */
export interface Draft {
  /** When its slot started, in milliseconds; absent while the timer is stopped. */
  readonly slotStart?: number
  /** How many ticks of the slot had run when a chain that catches up was closed. */
  readonly ticks?: number
  /** Absent while the block is empty, since its attributes follow the clock until it has a transaction. */
  readonly content?: DraftContent
}

/** The attributes of a block that has transactions, and its preconf blocks. */
export interface DraftContent {
  readonly parentHash: Hash
  readonly attributes: PayloadAttributes
  /** The index of each preconf block and the number of its transactions, oldest first. */
  readonly preconfBlocks: readonly { readonly index: number; readonly size: number }[]
  /** The hash of the newest preconf block. */
  readonly hash: Hash
}

/** Returns the draft of these preconf blocks, oldest first. @param slotStart - undefined while the timer is stopped. */
export function toDraft(preconfBlocks: readonly Payload[], slotStart: number | undefined): Draft {
  const slot = slotStart === undefined ? {} : { slotStart }
  const { block, attributes, base } = preconfBlocks.at(-1)!
  if (block.transactions.length === 0) return slot
  const steps = preconfBlocks.map((one) => ({ index: one.index, size: one.block.transactions.length }))
  return {
    ...slot,
    content: {
      parentHash: base.parent.block.hash,
      attributes,
      preconfBlocks: steps.filter(({ size }) => size > 0),
      hash: block.hash,
    },
  }
}
