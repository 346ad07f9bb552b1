import { devNames, setIntervalMining } from '../devChain.ts'

/** Sets the seconds from block to block, or from 100 on the milliseconds; 0 for none by the clock. */
export const evm_setIntervalMining = setIntervalMining((value) => (value < 100 ? 1000 * value : value), {
  aliases: devNames('setIntervalMining', ['evm', 'ganache', 'hardhat']),
})
