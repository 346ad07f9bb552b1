import { setBlockTimestampInterval } from '../../core/cheats/blocks.ts'
import { defineMethod } from '../method.ts'
import { integer } from '../params/dev.ts'

/**
 * Sets the interval between block timestamps in milliseconds, rounded down to seconds but at least 1. With 0, blocks
 * have their parent's timestamp.
 *
 * @group Dev chain: mining and time
 * @example ["0x2"]
 */
export const hardhat_setBlockTimestampInterval = defineMethod({
  class: 'cheat',
  turn: 'change',
  params: [integer],
  returns: null,
  handler: ({ control }, ms) => {
    const seconds = ms === 0 ? 0 : Math.max(1, Math.floor(ms / 1000))
    return setBlockTimestampInterval(control.cheats, BigInt(seconds))
  },
})
