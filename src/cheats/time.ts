/**
 * The chain's time, set apart from its clock's, and the timestamps of the blocks to come.
 *
 * Each of these makes the block under construction anew where its timestamp changes by it.
 */
import type { Clock } from '../clock.ts'
import { InvalidParamsError, TimestampTooLowError } from '../errors.ts'
import { type AttributeOptions, type BlockSettings, leastTimestamp } from '../execution/attributes.ts'
import type { Sequencer } from '../sequencer.ts'

/** What changing the time works with. */
export interface TimeParts {
  readonly sequencer: Sequencer
  readonly clock: Clock
  readonly attributes: AttributeOptions
}

/** Moves the chain's time on. @returns by how many seconds it is ahead of the clock's. */
export async function increaseTime(parts: TimeParts, seconds: number): Promise<number> {
  const { timeOffset } = await configure(parts, (settings) => ({
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
export async function setTime(parts: TimeParts, ms: number): Promise<number> {
  const { timeOffset } = await configure(parts, (settings) => ({
    ...settings,
    timeOffset: checkOffset(ms - parts.clock.now()),
  }))
  return Math.floor(timeOffset / 1000)
}

/**
 * Sets the timestamp of the next block; time goes on from there.
 *
 * @param timestamp - seconds since the Unix epoch.
 * @throws TimestampTooLowError where it does not come after the head's.
 */
export async function setNextBlockTimestamp(parts: TimeParts, timestamp: bigint): Promise<void> {
  await configure(parts, (settings) => {
    const least = leastTimestamp(parts.attributes, parts.sequencer.tip.head.block)
    if (timestamp < least) throw new TimestampTooLowError(timestamp, least)
    return { ...settings, nextTimestamp: timestamp }
  })
}

/** Sets how many seconds lie between a block and the next, whatever the clock says; undefined: as the clock says. */
export async function setBlockTimestampInterval(
  parts: TimeParts,
  seconds: bigint | undefined,
): Promise<void> {
  await configure(parts, (settings) => ({ ...settings, timestampInterval: seconds }))
}

function configure(
  { sequencer }: TimeParts,
  change: (settings: BlockSettings) => BlockSettings,
): Promise<BlockSettings> {
  return sequencer.exclusive(async ({ tip, configure }) => {
    const settings = change(tip().settings)
    await configure(settings)
    return settings
  })
}

/** Milliseconds beyond which a number no longer tells one second from the next. */
const MAX_OFFSET = Number.MAX_SAFE_INTEGER / 2

function checkOffset(offset: number): number {
  if (Math.abs(offset) > MAX_OFFSET) throw new InvalidParamsError('0', 'a time that numbers can hold')
  return offset
}
