import { setBlocks } from '../../cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { amount } from '../params/dev.ts'

/** Sets the wei per gas below which no transaction is accepted any more. */
export const anvil_setMinGasPrice = method(
  [amount],
  async ({ control }, minGasPrice) => {
    await setBlocks(control.cheats, (settings) => ({ ...settings, minGasPrice }))
    return null
  },
  { aliases: devNames('setMinGasPrice') },
)
