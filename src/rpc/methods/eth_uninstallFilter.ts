import { defineMethod } from '../method.ts'
import { filterId } from '../params/block.ts'

/**
 * Removes a filter. Returns whether there was one with this id.
 *
 * @group Logs, filters and subscriptions
 * @example ["0x1"]
 */
export const eth_uninstallFilter = defineMethod({
  class: 'node',
  onFork: 'local',
  params: [filterId],
  handler: ({ filters }, id) => filters.remove(id),
})
