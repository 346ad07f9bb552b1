/** Cheats on blocks to come: settings, times, mining, unsealed transactions. Also the parts that all cheats use. */

import { InvalidParamsError } from '../../base/errors.ts'
import type { Transaction } from '../../ethereum/transaction.ts'
import { leastTimestamp, type NextBlock } from '../block/attributes.ts'
import type { Settings } from '../block/settings.ts'
import type { Mempool } from '../mempool/mempool.ts'
import type { Mining } from '../sequencer/mining.ts'
import type { Snapshots } from '../sequencer/reverts.ts'
import type { Sequencer } from '../sequencer/sequencer.ts'
import type { SettingsChange, Writer } from '../sequencer/writer.ts'
import { TimestampTooLowError, TooManyBlocksError } from './errors.ts'

/** The parts of a chain that cheats change or ask; most cheats pick some. */
export interface CheatParts {
  readonly sequencer: Sequencer
  readonly mempool: Mempool
  readonly mining: Mining
  readonly snapshots: Snapshots
}

/** Changes the settings, from the block under construction on. @returns the new settings. */
export function setBlocks(
  { sequencer }: Pick<CheatParts, 'sequencer'>,
  change: SettingsChange,
): Promise<Settings> {
  return sequencer.exclusive((writer) => changeBlocks(writer, change))
}

async function changeBlocks(
  { tip, next, rebuildPending }: Writer,
  change: SettingsChange,
): Promise<Settings> {
  const settings = change(tip().settings, next())
  await rebuildPending({ settings }, 'cheat')
  return settings
}

// Cheats on time: the chain's time, as an offset from the clock, and block timestamps. Each rebuilds the block under
// construction if its timestamp changes. The last cheat that names a time for the next block decides it; an interval
// applies to all blocks without a named time.

/**
 * Moves the chain's time, and with it the next block, `seconds` ahead of the later of the chain's time and the head's
 * timestamp: the head is ahead if blocks were made faster than one per second.
 *
 * @returns the seconds that the chain's time is ahead of the clock.
 */
export async function increaseTime(parts: CheatParts, seconds: number): Promise<number> {
  const { timeOffset } = await setBlocks(parts, (settings, next) => later(settings, next, seconds))
  return Math.floor(timeOffset / 1000)
}

/** Returns the settings of {@link increaseTime}. @param argument - the name of `seconds` in an error. */
export function later(
  settings: Settings,
  { parent, ms }: NextBlock,
  seconds: number,
  argument = '0',
): Settings {
  const time = Math.max(ms + settings.timeOffset, 1000 * Number(parent.timestamp))
  return withTime(settings, time + 1000 * seconds - ms, argument)
}

/** Sets the chain's time. @param ms - milliseconds of Unix time. @returns the seconds that it is ahead of the clock. */
export async function setTime(parts: CheatParts, ms: number): Promise<number> {
  const { clock } = parts.sequencer.tip.base.options
  const { timeOffset } = await setBlocks(parts, (settings) => withTime(settings, ms - clock.now()))
  return Math.floor(timeOffset / 1000)
}

/** Sets the timestamp of the next block. The chain's time continues from there. @throws TimestampTooLowError */
export async function setNextBlockTimestamp(parts: CheatParts, timestamp: bigint): Promise<void> {
  await setBlocks(parts, atTimestamp(parts, timestamp))
}

function atTimestamp({ sequencer }: CheatParts, timestamp: bigint): SettingsChange {
  return (settings, { parent }) => {
    const least = leastTimestamp(sequencer.tip.base.options, parent)
    if (timestamp < least) throw new TimestampTooLowError(timestamp, least)
    return { ...settings, nextTimestamp: timestamp }
  }
}

/** Sets the seconds from block to block; with undefined, timestamps follow the clock again. */
export async function setBlockTimestampInterval(parts: CheatParts, interval?: bigint): Promise<void> {
  await setBlocks(parts, (settings) => ({ ...settings, timestampInterval: interval }))
}

/** How many milliseconds the chain's time may differ from the clock's, so that it stays a safe integer. */
const MAX_OFFSET = Number.MAX_SAFE_INTEGER / 2

/** Returns settings that give the next block the chain's time, whatever timestamp was set for it. */
function withTime({ nextTimestamp: _, ...rest }: Settings, offset: number, argument = '0'): Settings {
  if (Math.abs(offset) > MAX_OFFSET) {
    throw new InvalidParamsError(argument, "a time within 2^52 ms of the clock's")
  }
  return { ...rest, timeOffset: offset, nextByTime: true }
}

const MAX_MINED_BLOCKS = 1_000_000

interface MiningRequest {
  readonly blocks: number
  /** Seconds from block to block. If 0 or undefined, the blocks have the chain's time. */
  readonly interval?: number
  /** How many seconds the chain's time is moved ahead before each block; by default none. */
  readonly jump?: number
  /** The timestamp of the first block, in seconds since the Unix epoch. */
  readonly timestamp?: bigint | undefined
}

/**
 * Seals blocks one after another; the first includes waiting transactions. Between blocks the event loop turns, and
 * ticks of the timer may run, except with a manual clock.
 *
 * @throws TooManyBlocksError for more than {@link MAX_MINED_BLOCKS}, InvalidParamsError for a time that is too large,
 *   TimestampTooLowError; nothing has changed then.
 * @throws DisconnectedError if the chain closes meanwhile; sealed blocks stay.
 */
export async function mine(parts: CheatParts, request: MiningRequest): Promise<void> {
  const { blocks, interval = 0, jump = 0, timestamp } = request
  if (blocks > MAX_MINED_BLOCKS) throw new TooManyBlocksError(blocks, MAX_MINED_BLOCKS)
  const { sequencer } = parts
  const jumps: SettingsChange = (settings, next) => (jump > 0 ? later(settings, next, jump) : settings)
  const begin = async (writer: Writer): Promise<void> => {
    // The times of all blocks must be in range.
    if (interval + jump > 0) later(writer.tip().settings, writer.next(), blocks * (interval + jump), '1')
    if (timestamp !== undefined) await changeBlocks(writer, atTimestamp(parts, timestamp))
    else if (jump > 0) await changeBlocks(writer, jumps)
  }
  const between: SettingsChange = (settings, next) =>
    interval > 0
      ? { ...settings, nextTimestamp: next.parent.timestamp + BigInt(interval) }
      : jumps(settings, next)
  for (let left = blocks; left > 0; left--) {
    await sequencer.exclusive(async (writer) => {
      if (left === blocks) await begin(writer)
      await writer.seal(left > 1 ? between : undefined)
    })
    if (left > 1) await sequencer.tip.base.config.clock.yield()
  }
}

/**
 * Drops unsealed transactions. Pre-confirmed ones are withdrawn, and their dependents wait again.
 *
 * @returns the number of matching transactions. The rest of their bundles is dropped too.
 */
export function dropTransactions(
  { sequencer, mempool }: CheatParts,
  matches: (transaction: Transaction) => boolean,
): Promise<number> {
  return sequencer.exclusive(async ({ tip, rebuildPending }) => {
    const all = [...tip().preconf.block.transactions, ...mempool.transactions()]
    const drop = new Set(all.filter(matches).map(({ hash }) => hash))
    if (drop.size > 0) await rebuildPending({ drop }, 'cheat')
    return drop.size
  })
}
