import { devNames, setTimestampInterval } from '../devChain.ts'

/** Sets the interval between block timestamps, in seconds. With 0, blocks have their parent's timestamp. */
export const anvil_setBlockTimestampInterval = setTimestampInterval((seconds) => seconds, {
  aliases: devNames('setBlockTimestampInterval', ['anvil', 'evm', 'ganache']),
})
