import { defineMethod } from '../method.ts'

/**
 * Returns false: the chain has no peers to sync from.
 *
 * @group Chain and node
 */
export const eth_syncing = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: () => false,
})
