import { defineMethod } from '../method.ts'

/**
 * Returns the configuration of the active fork at the newest block, of the next one and of the last one that is scheduled
 * (EIP-7910). Only forks that start at a time have one: before Shanghai `current` is null.
 *
 * @group Chain and node
 * @views the fork of the head | the fork of the snapshot
 */
export const eth_config = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: async (context) => (await import('../configuration.ts')).chainConfig(context),
})
