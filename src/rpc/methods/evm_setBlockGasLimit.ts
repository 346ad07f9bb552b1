import { setBlocks } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { blockGasLimit } from '../params/dev.ts'

/** Sets the gas limit of new blocks. */
export const evm_setBlockGasLimit = changeMethod(
  [blockGasLimit],
  async ({ control }, gasLimit) => {
    await setBlocks(control.cheats, (settings) => ({ ...settings, gasLimit }))
    return true
  },
  { aliases: devNames('setBlockGasLimit') },
)
