import { setTimestampInterval } from '../devChain.ts'

/**
 * Sets the interval between block timestamps, given in milliseconds and rounded down to seconds, but not to 0. With 0,
 * blocks have their parent's timestamp.
 */
export const hardhat_setBlockTimestampInterval = setTimestampInterval((ms) =>
  ms === 0 ? 0 : Math.max(1, Math.floor(ms / 1000)),
)
