import { setTimestampInterval } from '../devChain.ts'

/** Clients of Hardhat give milliseconds. */
export const hardhat_setBlockTimestampInterval = setTimestampInterval((ms) => Math.floor(ms / 1000))
