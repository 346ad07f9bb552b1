import { quantity } from '../../base/bytes.ts'
import { increaseTime } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { defineMethod } from '../method.ts'
import { integer } from '../params/dev.ts'

/**
 * Moves the next block and the chain's time to the given seconds after the chain's time, or after the head's timestamp
 * if that is later.
 *
 * @returns the total offset from the clock in seconds; 0 if the chain's time is behind it.
 * @group Dev chain: mining and time
 * @example ["0x5"]
 */
export const evm_increaseTime = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: devNames('increaseTime'),
  params: [integer],
  handler: async ({ control }, seconds) => quantity(Math.max(0, await increaseTime(control.cheats, seconds))),
})
