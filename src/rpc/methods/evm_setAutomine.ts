import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { boolean } from '../params/scalars.ts'

/** Turns automine, which seals transactions as they are sent, on or off; turning it on seals those that wait. */
export const evm_setAutomine = method(
  [boolean],
  async ({ control }, on) => {
    await control.cheats.mining.setAutomine(on)
    return null
  },
  { aliases: devNames('setAutomine') },
)
