import { defineMethod } from '../method.ts'

/**
 * Returns true: there is no network connection that can be down.
 *
 * @group Chain and node
 */
export const net_listening = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: () => true,
})
