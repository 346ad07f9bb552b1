import { setBlockTimestampInterval } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'

/**
 * Removes the interval between block timestamps, which follow the clock again.
 *
 * @returns whether one was set.
 */
export const anvil_removeBlockTimestampInterval = changeMethod(
  [],
  async ({ control, viewed }) => {
    await setBlockTimestampInterval(control.cheats, undefined)
    return viewed.tip.settings.timestampInterval !== undefined
  },
  { aliases: devNames('removeBlockTimestampInterval') },
)
