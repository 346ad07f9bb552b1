import { setBlocks } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { storageKey } from '../params/params.ts'

/** Sets `prevRandao` of the next block. */
export const anvil_setPrevRandao = changeMethod(
  [storageKey],
  async ({ control }, nextPrevRandao) => {
    await setBlocks(control.cheats, (settings) => ({ ...settings, nextPrevRandao }))
    return null
  },
  { aliases: devNames('setPrevRandao') },
)
