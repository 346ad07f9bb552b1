import { setBlockTimestampInterval } from '../../cheats/time.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'

/** Has timestamps follow the time again. @returns whether they did not. */
export const anvil_removeBlockTimestampInterval = method(
  [],
  async ({ control, viewed }) => {
    await setBlockTimestampInterval(control.cheats, undefined)
    return viewed.tip.settings.timestampInterval !== undefined
  },
  { aliases: devNames('removeBlockTimestampInterval') },
)
