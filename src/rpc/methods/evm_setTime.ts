import { quantity } from '../../base/bytes.ts'
import { setTime } from '../../core/cheats/blocks.ts'
import { defineCheat } from '../method.ts'
import { milliseconds } from '../params/dev.ts'

/**
 * Sets the chain's time in seconds or milliseconds since the Unix epoch. The next block has this time even if an
 * interval is set, but is never before the head.
 *
 * @returns how many seconds the chain's time is ahead of the clock; 0 if it is behind.
 * @group Dev chain: mining and time
 * @example [1700000100000]
 */
export const evm_setTime = defineCheat('setTime', {
  params: [milliseconds],
  handler: async ({ control }, ms) => quantity(Math.max(0, await setTime(control.cheats, ms))),
})
