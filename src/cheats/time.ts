/**
 * Cheats that set the chain's time, as an offset from its clock's, and the timestamps of the blocks to come.
 *
 * Each of them rebuilds the block under construction if that changes its timestamp.
 */

import { leastTimestamp } from '../payload/attributes.ts'
import { InvalidParamsError } from '../primitives/errors.ts'
import { setBlocks } from './blocks.ts'
import { TimestampTooLowError } from './errors.ts'
import type { CheatParts } from './parts.ts'

/** Advances the chain's time. @returns the seconds that it is ahead of the clock's. */
export async function increaseTime(parts: CheatParts, seconds: number): Promise<number> {
  const { timeOffset } = await setBlocks(parts, (settings) => ({
    ...settings,
    timeOffset: checkOffset(settings.timeOffset + 1000 * seconds),
  }))
  return Math.floor(timeOffset / 1000)
}

/**
 * Sets the chain's time. It may be set back, but the timestamps of blocks never fall.
 *
 * @param ms - milliseconds since the Unix epoch.
 * @returns the seconds that it is ahead of the clock's.
 */
export async function setTime(parts: CheatParts, ms: number): Promise<number> {
  const { timeOffset } = await setBlocks(parts, (settings) => ({
    ...settings,
    timeOffset: checkOffset(ms - parts.clock.now()),
  }))
  return Math.floor(timeOffset / 1000)
}

/**
 * Sets the timestamp of the next block; the chain's time continues from there.
 *
 * @param timestamp - seconds since the Unix epoch.
 * @throws TimestampTooLowError if it is too low for the next block.
 */
export async function setNextBlockTimestamp(parts: CheatParts, timestamp: bigint): Promise<void> {
  await setBlocks(parts, (settings) => {
    const least = leastTimestamp(parts.attributes, parts.sequencer.tip.head.block)
    if (timestamp < least) throw new TimestampTooLowError(timestamp, least)
    return { ...settings, nextTimestamp: timestamp }
  })
}

/** Sets the seconds from each block to the next, regardless of the clock; undefined removes the interval. */
export async function setBlockTimestampInterval(
  parts: CheatParts,
  seconds: bigint | undefined,
): Promise<void> {
  await setBlocks(parts, (settings) => ({ ...settings, timestampInterval: seconds }))
}

/** The largest offset in milliseconds: added to the clock's time, it is still a safe integer. */
const MAX_OFFSET = Number.MAX_SAFE_INTEGER / 2

function checkOffset(offset: number): number {
  if (Math.abs(offset) > MAX_OFFSET) throw new InvalidParamsError('0', "a time within 2^52 ms of the clock's")
  return offset
}
