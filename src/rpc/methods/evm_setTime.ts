import { quantity } from '../../base/bytes.ts'
import { setTime } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { milliseconds } from '../params/dev.ts'

/**
 * Sets the chain's time, given in seconds or milliseconds since the Unix epoch. The next block has it, even if an interval
 * is set, but it is never before the head.
 *
 * @returns its offset from the clock in seconds; 0 if it is behind.
 */
export const evm_setTime = changeMethod(
  [milliseconds],
  async ({ control }, ms) => quantity(Math.max(0, await setTime(control.cheats, ms))),
  { aliases: devNames('setTime') },
)
