import { setBlocks } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { chainId } from '../params/dev.ts'

/** Sets the chain id of new blocks; transactions bound to another id are dropped (spec.md 33k). */
export const anvil_setChainId = changeMethod(
  [chainId],
  async ({ control }, id) => {
    await setBlocks(control.cheats, (settings) => ({ ...settings, chainId: id }))
    return null
  },
  { aliases: devNames('setChainId') },
)
