import { devNames, setTimestampInterval } from '../devChain.ts'

/** Sets the seconds between each block and the next. */
export const anvil_setBlockTimestampInterval = setTimestampInterval((seconds) => seconds, {
  aliases: devNames('setBlockTimestampInterval', ['anvil', 'evm', 'ganache']),
})
