import { setBlocks } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { amount } from '../params/dev.ts'

/** Sets the base fee of the next block, in wei per gas. */
export const anvil_setNextBlockBaseFeePerGas = changeMethod(
  [amount],
  async ({ control }, nextBaseFee) => {
    await setBlocks(control.cheats, (settings) => ({ ...settings, nextBaseFee }))
    return null
  },
  { aliases: devNames('setNextBlockBaseFeePerGas') },
)
