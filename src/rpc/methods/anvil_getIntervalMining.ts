import { defineMethod, devNames } from '../method.ts'

/**
 * Returns the block time of interval mining in seconds; null if interval mining is off.
 *
 * @group Dev chain: mining and time
 */
export const anvil_getIntervalMining = defineMethod({
  class: 'cheat',
  aliases: devNames('getIntervalMining'),
  handler: ({ control }) => {
    const { blockTime } = control.cheats.mining
    return blockTime === undefined ? null : blockTime / 1000
  },
})
