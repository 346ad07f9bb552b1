import { optional } from '../../base/schema.ts'
import { defineMethod } from '../method.ts'
import { any } from '../params/params.ts'

/**
 * Turns on interval mining if the chain was created with it. If not, turns on automine.
 *
 * @group Dev chain: mining and time
 */
export const miner_start = defineMethod({
  class: 'cheat',
  turn: 'change',
  params: [optional(any)],
  returns: true,
  handler: ({ control }) => control.cheats.mining.resume(),
})
