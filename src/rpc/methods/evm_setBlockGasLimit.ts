import { setBlocks } from '../../core/cheats/blocks.ts'
import { defineCheat } from '../method.ts'
import { blockGasLimit } from '../params/dev.ts'

/**
 * Sets the gas limit of new blocks.
 *
 * @group Dev chain: blocks to come
 * @example ["0x1c9c380"]
 */
export const evm_setBlockGasLimit = defineCheat('setBlockGasLimit', {
  params: [blockGasLimit],
  returns: true,
  handler: ({ control }, gasLimit) => setBlocks(control.cheats, (settings) => ({ ...settings, gasLimit })),
})
