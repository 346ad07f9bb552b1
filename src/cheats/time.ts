/**
 * The chain's time, set apart from its clock's, and the timestamps of the blocks to come.
 *
 * Each of these rebuilds the block under construction if its timestamp changes by it.
 */

import { leastTimestamp } from '../payload/attributes.ts'
import { InvalidParamsError } from '../primitives/errors.ts'
import { setBlocks } from './blocks.ts'
import { TimestampTooLowError } from './errors.ts'
import type { CheatParts } from './parts.ts'

/** Moves the chain's time on. @returns by how many seconds it is ahead of the clock's. */
export async function increaseTime(parts: CheatParts, seconds: number): Promise<number> {
  const { timeOffset } = await setBlocks(parts, (settings) => ({
    ...settings,
    timeOffset: checkOffset(settings.timeOffset + 1000 * seconds),
  }))
  return Math.floor(timeOffset / 1000)
}

/**
 * Sets the chain's time. It may be set back; timestamps of blocks rise all the same.
 *
 * @param ms - milliseconds since the Unix epoch.
 * @returns by how many seconds it is ahead of the clock's.
 */
export async function setTime(parts: CheatParts, ms: number): Promise<number> {
  const { timeOffset } = await setBlocks(parts, (settings) => ({
    ...settings,
    timeOffset: checkOffset(ms - parts.clock.now()),
  }))
  return Math.floor(timeOffset / 1000)
}

/**
 * Sets the timestamp of the next block; time goes on from there.
 *
 * @param timestamp - seconds since the Unix epoch.
 * @throws TimestampTooLowError if it does not come after the head's.
 */
export async function setNextBlockTimestamp(parts: CheatParts, timestamp: bigint): Promise<void> {
  await setBlocks(parts, (settings) => {
    const least = leastTimestamp(parts.attributes, parts.sequencer.tip.head.block)
    if (timestamp < least) throw new TimestampTooLowError(timestamp, least)
    return { ...settings, nextTimestamp: timestamp }
  })
}

/** Sets how many seconds lie between a block and the next, whatever the clock says; undefined: as the clock says. */
export async function setBlockTimestampInterval(
  parts: CheatParts,
  seconds: bigint | undefined,
): Promise<void> {
  await setBlocks(parts, (settings) => ({ ...settings, timestampInterval: seconds }))
}

/** Milliseconds beyond which a number no longer tells one second from the next. */
const MAX_OFFSET = Number.MAX_SAFE_INTEGER / 2

function checkOffset(offset: number): number {
  if (Math.abs(offset) > MAX_OFFSET) throw new InvalidParamsError('0', 'a time that numbers can hold')
  return offset
}
