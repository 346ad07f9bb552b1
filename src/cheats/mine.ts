/** Mining on request. */
import { TooManyBlocksError } from './errors.ts'
import type { CheatParts } from './parts.ts'
import { setNextBlockTimestamp } from './time.ts'

/** The most blocks that one request can seal. */
export const MAX_MINED_BLOCKS = 1_000_000

/** The parameters of {@link mine}. */
export interface MiningRequest {
  readonly blocks: number
  /** Seconds from each block to the next; 0: by the chain's time. */
  readonly interval?: number
  /** Timestamp of the first block, in seconds since the Unix epoch. */
  readonly timestamp?: bigint | undefined
}

/**
 * Seals blocks, one after the other; the first includes waiting transactions. Between two blocks the event loop turns,
 * and other writers may run.
 *
 * @throws TooManyBlocksError for more than {@link MAX_MINED_BLOCKS}; nothing has changed then.
 * @throws DisconnectedError if the chain is closed meanwhile; the blocks sealed so far stay.
 */
export async function mine(
  parts: CheatParts,
  { blocks, interval = 0, timestamp }: MiningRequest,
): Promise<void> {
  if (blocks > MAX_MINED_BLOCKS) throw new TooManyBlocksError(blocks, MAX_MINED_BLOCKS)
  if (timestamp !== undefined) await setNextBlockTimestamp(parts, timestamp)
  const { sequencer, clock } = parts
  for (let left = blocks; left > 0; left--) {
    const spaced = interval > 0 && left > 1
    await sequencer.exclusive(({ seal }) =>
      seal((settings, sealed) =>
        spaced ? { ...settings, nextTimestamp: sealed.timestamp + BigInt(interval) } : settings,
      ),
    )
    if (left > 1) await clock.yield()
  }
}
