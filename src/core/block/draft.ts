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
  /** Oldest first. */
  readonly preconfBlocks: readonly DraftStep[]
  /** The hash of the newest preconf block. */
  readonly hash: Hash
}

/** The index of a preconf block, and how many transactions the block under construction has there. */
export interface DraftStep {
  readonly index: number
  readonly size: number
}

/** Returns the steps of preconf blocks, oldest first. */
export function toSteps(preconfBlocks: readonly Payload[]): DraftStep[] {
  return preconfBlocks.map(({ index, block }) => ({ index, size: block.transactions.length }))
}

/** Returns the items that each step adds. @param items - one per transaction, in order. */
export function itemsByStep<Item>(
  steps: readonly DraftStep[],
  items: readonly Item[],
): { readonly index: number; readonly items: readonly Item[] }[] {
  return steps.map(({ index, size }, i) => ({ index, items: items.slice(steps[i - 1]?.size ?? 0, size) }))
}

/** Returns the draft of these preconf blocks, oldest first. @param slotStart - undefined while the timer is stopped. */
export function toDraft(preconfBlocks: readonly Payload[], slotStart: number | undefined): Draft {
  const slot = slotStart === undefined ? {} : { slotStart }
  const { block, attributes, base } = preconfBlocks.at(-1)!
  if (block.transactions.length === 0) return slot
  return {
    ...slot,
    content: {
      parentHash: base.parent.block.hash,
      attributes,
      preconfBlocks: toSteps(preconfBlocks).filter(({ size }) => size > 0),
      hash: block.hash,
    },
  }
}
