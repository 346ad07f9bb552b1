import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { boolean } from '../params/scalars.ts'

/** Switches sealing at each send. */
export const evm_setAutomine = method(
  [boolean],
  async ({ control }, on) => {
    await control.cheats.mining.setAutomine(on)
    return null
  },
  { aliases: devNames('setAutomine') },
)
