import { increaseTime } from '../../cheats/time.ts'
import { quantity } from '../../primitives/bytes.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { integer } from '../params/dev.ts'

/**
 * Advances the chain's time by seconds.
 *
 * @returns the total offset from the clock in seconds; 0 if the chain's time is behind it.
 */
export const evm_increaseTime = method(
  [integer],
  async ({ control }, seconds) => quantity(Math.max(0, await increaseTime(control.cheats, seconds))),
  { aliases: devNames('increaseTime') },
)
