import { setBlocks } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { defineMethod } from '../method.ts'
import { blockGasLimit } from '../params/dev.ts'

/**
 * Sets the gas limit of new blocks.
 *
 * @group Dev chain: blocks to come
 * @example ["0x1c9c380"]
 */
export const evm_setBlockGasLimit = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: devNames('setBlockGasLimit'),
  params: [blockGasLimit],
  handler: async ({ control }, gasLimit) => {
    await setBlocks(control.cheats, (settings) => ({ ...settings, gasLimit }))
    return true
  },
})
