import { setBlocks } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { amount } from '../params/dev.ts'

/** Sets the minimum gas price of the mempool, in wei per gas. */
export const anvil_setMinGasPrice = changeMethod(
  [amount],
  async ({ control }, minGasPrice) => {
    await setBlocks(control.cheats, (settings) => ({ ...settings, minGasPrice }))
    return null
  },
  { aliases: devNames('setMinGasPrice') },
)
