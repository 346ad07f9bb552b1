import { setBlocks } from '../../core/cheats/blocks.ts'
import { defineCheat } from '../method.ts'
import { chainId } from '../params/dev.ts'

/**
 * Sets the chain id of new blocks; transactions bound to another id are dropped (spec.md 33k).
 *
 * @group Dev chain: blocks to come
 * @example ["0x7a69"]
 */
export const anvil_setChainId = defineCheat('setChainId', {
  params: [chainId],
  returns: null,
  handler: ({ control }, id) => setBlocks(control.cheats, (settings) => ({ ...settings, chainId: id })),
})
