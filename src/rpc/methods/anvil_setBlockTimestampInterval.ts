import { setBlockTimestampInterval } from '../../core/cheats/blocks.ts'
import { defineMethod, devNames } from '../method.ts'
import { integer } from '../params/dev.ts'

/**
 * Sets the interval between block timestamps, in seconds. With 0, blocks have their parent's timestamp.
 *
 * @group Dev chain: mining and time
 * @example ["0x2"]
 */
export const anvil_setBlockTimestampInterval = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: devNames('setBlockTimestampInterval', ['anvil', 'evm', 'ganache']),
  params: [integer],
  returns: null,
  handler: ({ control }, seconds) => setBlockTimestampInterval(control.cheats, BigInt(seconds)),
})
