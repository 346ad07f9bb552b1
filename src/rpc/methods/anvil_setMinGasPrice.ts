import { setBlocks } from '../../core/cheats/blocks.ts'
import { defineCheat } from '../method.ts'
import { amount } from '../params/dev.ts'

/**
 * Sets the minimum gas price of the mempool, in wei per gas.
 *
 * @group Dev chain: blocks to come
 * @example ["0x0"]
 */
export const anvil_setMinGasPrice = defineCheat('setMinGasPrice', {
  params: [amount],
  returns: null,
  handler: ({ control }, minGasPrice) =>
    setBlocks(control.cheats, (settings) => ({ ...settings, minGasPrice })),
})
