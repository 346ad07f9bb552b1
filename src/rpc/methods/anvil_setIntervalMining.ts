import { setIntervalMining } from '../devChain.ts'

/** anvil's own name: seconds, however many. */
export const anvil_setIntervalMining = setIntervalMining((seconds) => 1000 * seconds)
