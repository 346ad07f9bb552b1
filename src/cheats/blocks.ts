/** What is asked of the blocks to come. */
import type { BlockSettings } from '../payload/attributes.ts'
import type { CheatParts } from './parts.ts'

/** Changes what is asked of the blocks to come, and with it the block under construction. */
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
