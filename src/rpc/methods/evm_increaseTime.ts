import { quantity } from '../../base/bytes.ts'
import { increaseTime } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { integer } from '../params/dev.ts'

/**
 * Moves the next block, and the chain's time with it, to that many seconds after the chain's time, or after the head's
 * timestamp if that is later.
 *
 * @returns the total offset from the clock in seconds; 0 if the chain's time is behind it.
 */
export const evm_increaseTime = changeMethod(
  [integer],
  async ({ control }, seconds) => quantity(Math.max(0, await increaseTime(control.cheats, seconds))),
  { aliases: devNames('increaseTime') },
)
