import { defineMethod } from '../method.ts'

/**
 * Returns the configurations of the active fork at the newest block, the next fork and the last scheduled fork
 * (EIP-7910). Only forks that start at a time have a configuration, so `current` is null before Shanghai.
 *
 * @group Chain and node
 * @views the fork of the head | the fork of the preconf block
 */
export const eth_config = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: async (context) => (await import('../configuration.ts')).chainConfig(context),
})
