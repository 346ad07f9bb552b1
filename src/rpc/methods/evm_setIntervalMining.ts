import { devNames, setIntervalMining } from '../devChain.ts'

/** Sets the block time of interval mining, below 100 in seconds, otherwise in milliseconds; 0 turns it off. */
export const evm_setIntervalMining = setIntervalMining((value) => (value < 100 ? 1000 * value : value), {
  aliases: devNames('setIntervalMining', ['evm', 'ganache', 'hardhat']),
})
