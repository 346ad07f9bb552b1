import { setBlocks } from '../../core/cheats/blocks.ts'
import { defineCheat } from '../method.ts'
import { storageKey } from '../params/params.ts'

/**
 * Sets `prevRandao` of the next block.
 *
 * @group Dev chain: blocks to come
 * @example ["0x1"]
 */
export const anvil_setPrevRandao = defineCheat('setPrevRandao', {
  params: [storageKey],
  returns: null,
  handler: ({ control }, nextPrevRandao) =>
    setBlocks(control.cheats, (settings) => ({ ...settings, nextPrevRandao })),
})
