import { setBlocks } from '../../core/cheats/blocks.ts'
import { defineCheat } from '../method.ts'
import { address } from '../params/params.ts'

/**
 * Sets the fee recipient of new blocks.
 *
 * @group Dev chain: blocks to come
 * @example ["$alice"]
 */
export const anvil_setCoinbase = defineCheat('setCoinbase', {
  params: [address],
  returns: null,
  handler: ({ control }, coinbase) => setBlocks(control.cheats, (settings) => ({ ...settings, coinbase })),
})
