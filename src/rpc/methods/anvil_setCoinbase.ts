import { setBlocks } from '../../core/cheats/blocks.ts'
import { defineMethod, devNames } from '../method.ts'
import { address } from '../params/params.ts'

/**
 * Sets the fee recipient of new blocks.
 *
 * @group Dev chain: blocks to come
 * @example ["$alice"]
 */
export const anvil_setCoinbase = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: devNames('setCoinbase'),
  params: [address],
  returns: null,
  handler: ({ control }, coinbase) => setBlocks(control.cheats, (settings) => ({ ...settings, coinbase })),
})
