import { setTimestampInterval } from '../devChain.ts'

/** Sets the interval between block timestamps, given in milliseconds and rounded down to seconds. */
export const hardhat_setBlockTimestampInterval = setTimestampInterval((ms) => Math.floor(ms / 1000))
