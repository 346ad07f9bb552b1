import { setBlocks } from '../../cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { storageKey } from '../params/scalars.ts'

/** Sets `prevRandao` of the next block. */
export const anvil_setPrevRandao = method(
  [storageKey],
  async ({ control }, nextPrevRandao) => {
    await setBlocks(control.cheats, (settings) => ({ ...settings, nextPrevRandao }))
    return null
  },
  { aliases: devNames('setPrevRandao') },
)
