/**
 * Cheats that set the chain's time, as an offset from its clock's, and the timestamps of the blocks to come.
 *
 * Each of them rebuilds the block under construction if that changes its timestamp. The last one that names a time for
 * the next block decides it; an interval applies to the blocks for which none was named.
 */

import { InvalidParamsError } from '../../base/errors.ts'
import { type BlockSettings, leastTimestamp, type NextBlock } from '../block/attributes.ts'
import { type SettingsChange, setBlocks } from './blocks.ts'
import { TimestampTooLowError } from './errors.ts'
import type { CheatParts } from './parts.ts'

/**
 * Moves the chain's time, and with it the next block, to `seconds` after the later of that time and the timestamp of
 * the head, which is ahead of the clock if blocks were made faster than one per second.
 *
 * @returns the seconds by which it is ahead of the clock's.
 */
export async function increaseTime(parts: CheatParts, seconds: number): Promise<number> {
  const { timeOffset } = await setBlocks(parts, (settings, next) => later(settings, next, seconds))
  return Math.floor(timeOffset / 1000)
}

/** The settings with which the next block comes `seconds` later. @param argument - what an error calls the seconds. */
export function later(
  settings: BlockSettings,
  { parent, ms }: NextBlock,
  seconds: number,
  argument = '0',
): BlockSettings {
  const time = Math.max(ms + settings.timeOffset, 1000 * Number(parent.timestamp))
  return withTime(settings, time + 1000 * seconds - ms, argument)
}

/**
 * Sets the chain's time. It may be set back, but the timestamps of blocks never fall.
 *
 * @param ms - milliseconds since the Unix epoch.
 * @returns the seconds by which it is ahead of the clock's.
 */
export async function setTime(parts: CheatParts, ms: number): Promise<number> {
  const { timeOffset } = await setBlocks(parts, (settings) => withTime(settings, ms - parts.clock.now()))
  return Math.floor(timeOffset / 1000)
}

/**
 * Sets the timestamp of the next block; the chain's time continues from there.
 *
 * @param timestamp - seconds since the Unix epoch.
 * @throws TimestampTooLowError if it is too low for the next block.
 */
export async function setNextBlockTimestamp(parts: CheatParts, timestamp: bigint): Promise<void> {
  await setBlocks(parts, atTimestamp(parts, timestamp))
}

/** The change of {@link setNextBlockTimestamp}. */
export function atTimestamp(
  { attributes }: Pick<CheatParts, 'attributes'>,
  timestamp: bigint,
): SettingsChange {
  return (settings, { parent }) => {
    const least = leastTimestamp(attributes, parent)
    if (timestamp < least) throw new TimestampTooLowError(timestamp, least)
    return { ...settings, nextTimestamp: timestamp }
  }
}

/**
 * Sets the seconds from each block to the next, regardless of the clock; with 0 timestamps stay the same, and undefined
 * removes the interval.
 */
export async function setBlockTimestampInterval(
  parts: CheatParts,
  seconds: bigint | undefined,
): Promise<void> {
  await setBlocks(parts, (settings) => ({ ...settings, timestampInterval: seconds }))
}

/** The largest offset in milliseconds: added to the clock's time, it is still a safe integer. */
const MAX_OFFSET = Number.MAX_SAFE_INTEGER / 2

/** The settings with which the next block has the chain's time, whatever was set for it. */
function withTime(
  { nextTimestamp: _, ...rest }: BlockSettings,
  offset: number,
  argument = '0',
): BlockSettings {
  if (Math.abs(offset) > MAX_OFFSET) {
    throw new InvalidParamsError(argument, "a time within 2^52 ms of the clock's")
  }
  return { ...rest, timeOffset: offset, nextByTime: true }
}
