import { increaseTime } from '../../cheats/time.ts'
import { quantity } from '../../primitives/bytes.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { integer } from '../params/dev.ts'

/** Moves time on by seconds. @returns how many seconds it is ahead of the clock in all. */
export const evm_increaseTime = method(
  [integer],
  async ({ control }, seconds) => quantity(Math.max(0, await increaseTime(control.cheats, seconds))),
  { aliases: devNames('increaseTime') },
)
