import { defineMethod } from '../method.ts'

/**
 * Stops automine and interval mining: blocks are sealed only on request.
 *
 * @group Dev chain: mining and time
 */
export const miner_stop = defineMethod({
  class: 'cheat',
  turn: 'change',
  returns: true,
  handler: ({ control }) => control.cheats.mining.pause(),
})
