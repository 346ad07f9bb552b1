/** The settings of the blocks to come. */
import type { BlockSettings } from '../payload/attributes.ts'
import type { CheatParts } from './parts.ts'

/** Changes the settings of the blocks to come, the one under construction included. @returns the new settings. */
export function setBlocks(
  { sequencer }: Pick<CheatParts, 'sequencer'>,
  change: (settings: BlockSettings) => BlockSettings,
): Promise<BlockSettings> {
  return sequencer.exclusive(async ({ tip, rebuildPending }) => {
    const settings = change(tip().settings)
    await rebuildPending({ settings }, 'cheat')
    return settings
  })
}
