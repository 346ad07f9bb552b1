/** What is asked of the blocks to come, and blocks on request. */
import type { BlockSettings } from '../execution/attributes.ts'
import type { CheatParts } from './parts.ts'

/** Changes what is asked of the blocks to come, and with it the block under construction. */
export function setBlocks(
  { sequencer }: Pick<CheatParts, 'sequencer'>,
  change: (settings: BlockSettings) => BlockSettings,
): Promise<BlockSettings> {
  return sequencer.exclusive(async ({ tip, remake }) => {
    const settings = change(tip().settings)
    await remake({ settings }, 'cheat')
    return settings
  })
}

/**
 * Seals blocks, one after the other, with a turn of the host between them; the first takes what waits.
 *
 * @param interval - seconds from each of them to the next; 0: as the time goes.
 * @throws DisconnectedError where the chain is closed meanwhile.
 */
export function mine({ sequencer, clock }: CheatParts, blocks: number, interval: number): Promise<void> {
  return sequencer.exclusive(async ({ seal }) => {
    for (let left = blocks; left > 0; left--) {
      const spaced = interval > 0 && left > 1
      await seal((settings, { timestamp }) =>
        spaced ? { ...settings, nextTimestamp: timestamp + BigInt(interval) } : settings,
      )
      if (left > 1) await clock.yield()
    }
  })
}
