import { defineMethod, devNames } from '../method.ts'
import { integer } from '../params/dev.ts'

/**
 * Sets the block time of interval mining. Values below 100 are in seconds, values from 100 in milliseconds. 0 turns
 * interval mining off.
 *
 * @group Dev chain: mining and time
 * @example ["0x0"]
 */
export const evm_setIntervalMining = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: devNames('setIntervalMining', ['evm', 'ganache', 'hardhat']),
  params: [integer],
  returns: null,
  handler: ({ control }, interval) =>
    control.cheats.mining.setBlockTime(interval < 100 ? 1000 * interval : interval),
})
