import { optional } from '../../base/schema.ts'
import { mine } from '../../core/cheats/blocks.ts'
import { defineMethod, devNames } from '../method.ts'
import { integer } from '../params/dev.ts'

/**
 * Seals blocks. Parameters: number of blocks, default 1; seconds to advance the chain's time before each block, default
 * 0 (timestamps follow the clock). `hardhat_mine` does not advance the time before the first block.
 *
 * @throws TooManyBlocksError
 * @group Dev chain: mining and time
 * @example ["0x2", "0x3"]
 */
export const anvil_mine = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: devNames('mine', ['anvil', 'ganache']),
  params: [optional(integer), optional(integer)],
  returns: null,
  handler: ({ control }, blocks = 1, seconds = 0) => mine(control.cheats, { blocks, jump: seconds }),
})
