import { setBlocks } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { address } from '../params/params.ts'

/** Sets the fee recipient of new blocks. */
export const anvil_setCoinbase = changeMethod(
  [address],
  async ({ control }, coinbase) => {
    await setBlocks(control.cheats, (settings) => ({ ...settings, coinbase }))
    return null
  },
  { aliases: devNames('setCoinbase') },
)
