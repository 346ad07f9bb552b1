import { defineMethod } from '../method.ts'
import { integer } from '../params/dev.ts'

/**
 * Sets the block time of interval mining in seconds; 0 turns it off. evm_setIntervalMining also takes milliseconds.
 *
 * @group Dev chain: mining and time
 * @example ["0x0"]
 */
export const anvil_setIntervalMining = defineMethod({
  class: 'cheat',
  turn: 'change',
  params: [integer],
  returns: null,
  handler: ({ control }, seconds) => control.cheats.mining.setBlockTime(1000 * seconds),
})
