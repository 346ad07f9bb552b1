import { setBlockTimestampInterval } from '../../core/cheats/blocks.ts'
import { defineMethod, devNames } from '../method.ts'

/**
 * Removes the interval between block timestamps. Timestamps follow the clock again.
 *
 * @returns whether an interval was set.
 * @group Dev chain: mining and time
 */
export const anvil_removeBlockTimestampInterval = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: devNames('removeBlockTimestampInterval'),
  handler: async ({ control, viewed }) => {
    await setBlockTimestampInterval(control.cheats, undefined)
    return viewed.tip.settings.timestampInterval !== undefined
  },
})
