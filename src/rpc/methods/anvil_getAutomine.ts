import { devNames } from '../devChain.ts'
import { method } from '../method.ts'

/** Whether a send is sealed at once. */
export const anvil_getAutomine = method([], ({ control }) => control.cheats.mining.automine, {
  aliases: devNames('getAutomine'),
})
