import { setTime } from '../../cheats/time.ts'
import { quantity } from '../../primitives/bytes.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { milliseconds } from '../params/dev.ts'

/** Sets the time. @returns how many seconds it is ahead of the clock. */
export const evm_setTime = method(
  [milliseconds],
  async ({ control }, ms) => quantity(Math.max(0, await setTime(control.cheats, ms))),
  { aliases: devNames('setTime') },
)
