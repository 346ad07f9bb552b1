import { devNames } from '../devChain.ts'
import { method } from '../method.ts'

/** Returns whether automine, which seals transactions as they are sent, is on. */
export const anvil_getAutomine = method([], ({ control }) => control.cheats.mining.automine, {
  aliases: devNames('getAutomine'),
})
