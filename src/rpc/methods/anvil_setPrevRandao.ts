import { setBlocks } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { defineMethod } from '../method.ts'
import { storageKey } from '../params/params.ts'

/**
 * Sets `prevRandao` of the next block.
 *
 * @group Dev chain: blocks to come
 * @example ["0x1"]
 */
export const anvil_setPrevRandao = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: devNames('setPrevRandao'),
  params: [storageKey],
  handler: async ({ control }, nextPrevRandao) => {
    await setBlocks(control.cheats, (settings) => ({ ...settings, nextPrevRandao }))
    return null
  },
})
