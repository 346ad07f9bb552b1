/** Block ranges of log requests. */
import type { Payload } from '../block/payload.ts'
import { InvalidBlockRangeError } from './errors.ts'

/** A range of blocks that may end in the snapshot. */
export interface LogRange {
  readonly from: bigint
  readonly to: bigint
  /** Whether the snapshot's logs follow. */
  readonly pending: boolean
}

/** An end of a range: the number of a block, or the block under construction. */
export type LogRangeEnd = bigint | 'pending'

/**
 * A range of logs, clipped to the chain; undefined if no block can lie in it.
 *
 * @param pending - what `pending` names: a snapshot, or the number of a sealed block.
 * @throws InvalidBlockRangeError if it runs backwards, and begins at the head or before it.
 */
export function toLogRange(
  start: LogRangeEnd,
  end: LogRangeEnd,
  head: bigint,
  pending: Payload | bigint | undefined,
): LogRange | undefined {
  if (typeof pending === 'bigint' && (start === 'pending' || end === 'pending')) {
    return toSealedRange(start, end, head, pending)
  }
  const first = start === 'pending' ? head + 1n : start
  if (end === 'pending') return { from: first, to: head, pending: first <= head + 1n }
  if (start === 'pending') {
    // `latest` ends at the head; only a number beyond it includes the snapshot.
    return end > head ? { from: first, to: head, pending: true } : undefined
  }
  if (start > end) {
    // Nothing is there yet; `latest` is a number below the start then.
    if (start > head) return undefined
    throw new InvalidBlockRangeError()
  }
  return { from: start, to: end < head ? end : head, pending: end > head && start <= head + 1n }
}

/** The range if `pending` is a sealed block: a range from a number to `pending` still ends at the head. */
function toSealedRange(start: LogRangeEnd, end: LogRangeEnd, head: bigint, pending: bigint): LogRange {
  const from = start === 'pending' ? pending : start
  const to = end === 'pending' ? (start === 'pending' ? pending : head) : end
  return { from, to: to < head ? to : head, pending: false }
}
