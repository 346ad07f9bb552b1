import { quantity } from '../../base/bytes.ts'
import { defineMethod } from '../method.ts'

/**
 * Returns the number of the newest sealed block, on both views.
 *
 * @group Chain and node
 */
export const eth_blockNumber = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: ({ viewed }) => quantity(viewed.tip.head.block.number),
})
