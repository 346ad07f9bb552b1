import { setBlockTimestampInterval } from '../../core/cheats/blocks.ts'
import { defineCheat } from '../method.ts'

/**
 * Removes the interval between block timestamps. Timestamps follow the clock again.
 *
 * @returns whether an interval was set.
 * @group Dev chain: mining and time
 */
export const anvil_removeBlockTimestampInterval = defineCheat('removeBlockTimestampInterval', {
  handler: async ({ control, viewed }) => {
    await setBlockTimestampInterval(control.cheats, undefined)
    return viewed.tip.settings.timestampInterval !== undefined
  },
})
