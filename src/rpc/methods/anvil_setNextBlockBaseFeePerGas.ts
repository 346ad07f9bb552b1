import { setBlocks } from '../../core/cheats/blocks.ts'
import { defineCheat } from '../method.ts'
import { amount } from '../params/dev.ts'

/**
 * Sets the base fee of the next block, in wei per gas.
 *
 * @group Dev chain: blocks to come
 * @example ["0x7"]
 */
export const anvil_setNextBlockBaseFeePerGas = defineCheat('setNextBlockBaseFeePerGas', {
  params: [amount],
  returns: null,
  handler: ({ control }, nextBaseFee) =>
    setBlocks(control.cheats, (settings) => ({ ...settings, nextBaseFee })),
})
