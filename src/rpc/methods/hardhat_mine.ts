import { optional } from '../../base/schema.ts'
import { mine } from '../../core/cheats/blocks.ts'
import { defineMethod } from '../method.ts'
import { integer } from '../params/dev.ts'

/**
 * Seals blocks, the first of them at the chain's time. Parameters: number of blocks, default 1; seconds between blocks,
 * default 1 unless an interval is set. `anvil_mine` also advances the time before the first block.
 *
 * @throws TooManyBlocksError
 * @group Dev chain: mining and time
 * @example ["0x2", "0x3"]
 */
export const hardhat_mine = defineMethod({
  class: 'cheat',
  turn: 'change',
  params: [optional(integer), optional(integer)],
  returns: null,
  handler: ({ control, viewed }, blocks = 1, interval) => {
    const spacing = viewed.tip.settings.timestampInterval === undefined ? 1 : 0
    return mine(control.cheats, { blocks, interval: interval ?? spacing })
  },
})
