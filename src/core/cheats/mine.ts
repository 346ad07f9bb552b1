/** Mining on request. */

import type { SettingsUpdate, Writer } from '../sequencer/writer.ts'
import { changeBlocks, type SettingsChange } from './blocks.ts'
import { TooManyBlocksError } from './errors.ts'
import type { CheatParts } from './parts.ts'
import { atTimestamp, later } from './time.ts'

/** The most blocks that one request can seal. */
export const MAX_MINED_BLOCKS = 1_000_000

/** The parameters of {@link mine}. */
export interface MiningRequest {
  readonly blocks: number
  /** Seconds from each block to the next; 0 or undefined: by the chain's time. */
  readonly interval?: number
  /** Seconds by which the chain's time is moved before each block; 0 or undefined: not at all. */
  readonly jump?: number
  /** Timestamp of the first block, in seconds since the Unix epoch. */
  readonly timestamp?: bigint | undefined
}

/**
 * Seals blocks, one after the other; the first includes waiting transactions. Between two blocks the event loop turns, and
 * ticks of a timer that takes no turns may run.
 *
 * @throws TooManyBlocksError for more than {@link MAX_MINED_BLOCKS}, InvalidParamsError if the time would become too
 *   large, TimestampTooLowError; nothing has changed then.
 * @throws DisconnectedError if the chain is closed meanwhile; the blocks sealed so far stay.
 */
export async function mine(parts: CheatParts, request: MiningRequest): Promise<void> {
  const { blocks, interval = 0, jump = 0, timestamp } = request
  if (blocks > MAX_MINED_BLOCKS) throw new TooManyBlocksError(blocks, MAX_MINED_BLOCKS)
  const { sequencer, clock } = parts
  const jumps: SettingsChange = (settings, next) => (jump > 0 ? later(settings, next, jump) : settings)
  const begin = async (writer: Writer): Promise<void> => {
    // Every one of the blocks must be within the range of times.
    if (interval + jump > 0) later(writer.tip().settings, writer.next(), blocks * (interval + jump), '1')
    if (timestamp !== undefined) await changeBlocks(writer, atTimestamp(parts, timestamp))
    else if (jump > 0) await changeBlocks(writer, jumps)
  }
  const between: SettingsUpdate = (settings, next) =>
    interval > 0
      ? { ...settings, nextTimestamp: next.parent.timestamp + BigInt(interval) }
      : jumps(settings, next)
  for (let left = blocks; left > 0; left--) {
    await sequencer.exclusive(async (writer) => {
      if (left === blocks) await begin(writer)
      await writer.seal(left > 1 ? between : undefined)
    })
    if (left > 1) await clock.yield()
  }
}
