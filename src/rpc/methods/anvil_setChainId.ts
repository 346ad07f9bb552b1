import { setBlocks } from '../../cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { chainId } from '../params/dev.ts'

/** Sets the id of the blocks to come, and what is bound to another chain is dropped (design, decision 33k). */
export const anvil_setChainId = method(
  [chainId],
  async ({ control }, id) => {
    await setBlocks(control.cheats, (settings) => ({ ...settings, chainId: id }))
    return null
  },
  { aliases: devNames('setChainId') },
)
