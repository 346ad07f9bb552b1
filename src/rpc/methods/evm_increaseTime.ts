import { quantity } from '../../base/bytes.ts'
import { increaseTime } from '../../core/cheats/blocks.ts'
import { defineCheat } from '../method.ts'
import { integer } from '../params/dev.ts'

/**
 * Advances the chain's time by the given seconds, which count from the head's timestamp if that is later. The next
 * block has the new time.
 *
 * @returns how many seconds the chain's time is ahead of the clock; 0 if it is behind.
 * @group Dev chain: mining and time
 * @example ["0x5"]
 */
export const evm_increaseTime = defineCheat('increaseTime', {
  params: [integer],
  handler: async ({ control }, seconds) => quantity(Math.max(0, await increaseTime(control.cheats, seconds))),
})
