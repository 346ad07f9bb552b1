import { defineMethod } from '../method.ts'

/**
 * Returns the fee recipient of new blocks.
 *
 * @group Chain and node
 */
export const eth_coinbase = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: ({ read, viewed }) => viewed.tip.settings.coinbase ?? read.coinbase,
})
