import { mine } from '../../cheats/mine.ts'
import { optional } from '../../primitives/schema.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { integer } from '../params/dev.ts'

/**
 * Seals blocks. Parameters: their number, by default 1, and the seconds between their timestamps, by default 0, which
 * leaves the timestamps to the clock.
 *
 * @throws TooManyBlocksError
 */
export const anvil_mine = method(
  [optional(integer), optional(integer)],
  async ({ control }, blocks = 1, interval = 0) => {
    await mine(control.cheats, { blocks, interval })
    return null
  },
  { aliases: devNames('mine', ['anvil', 'ganache', 'hardhat']) },
)
