import { defineMethod } from '../method.ts'
import { filterId } from '../params/block.ts'

/**
 * Ends a subscription. Returns whether there was one with this id.
 *
 * @group Logs, filters and subscriptions
 * @example ["0x1"]
 */
export const eth_unsubscribe = defineMethod({
  class: 'node',
  onFork: 'local',
  params: [filterId],
  handler: ({ subscriptions }, id) => subscriptions.unsubscribe(id),
})
