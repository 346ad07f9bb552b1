import { devNames } from '../devChain.ts'
import { method } from '../method.ts'

/** Returns whether automine is on: transactions are sealed as they are sent. */
export const anvil_getAutomine = method([], ({ control }) => control.cheats.mining.automine, {
  aliases: devNames('getAutomine'),
})
