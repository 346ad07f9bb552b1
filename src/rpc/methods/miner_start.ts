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
  handler: async ({ control }) => {
    await control.cheats.mining.resume()
    return true
  },
})
