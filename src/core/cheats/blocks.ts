/** The settings of the blocks to come. */
import type { BlockSettings, NextBlock } from '../block/attributes.ts'
import type { Writer } from '../sequencer/writer.ts'
import type { CheatParts } from './parts.ts'

/** Changes the settings of the blocks to come, the one under construction included. @returns the new settings. */
export function setBlocks(
  { sequencer }: Pick<CheatParts, 'sequencer'>,
  change: SettingsChange,
): Promise<BlockSettings> {
  return sequencer.exclusive((writer) => changeBlocks(writer, change))
}

/** A change of the settings, by the place of the next block. @throws if it is refused; nothing has changed then. */
export type SettingsChange = (settings: BlockSettings, next: NextBlock) => BlockSettings

/** Does what {@link setBlocks} does, for the holder of the sequencer's lock. */
export async function changeBlocks(
  { tip, next, rebuildPending }: Writer,
  change: SettingsChange,
): Promise<BlockSettings> {
  const settings = change(tip().settings, next())
  await rebuildPending({ settings }, 'cheat')
  return settings
}
