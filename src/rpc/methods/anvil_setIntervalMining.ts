import { setIntervalMining } from '../devChain.ts'

/** Sets the block time of interval mining in seconds; 0 turns it off. evm_setIntervalMining also takes milliseconds. */
export const anvil_setIntervalMining = setIntervalMining((seconds) => 1000 * seconds)
