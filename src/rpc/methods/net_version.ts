import { defineMethod } from '../method.ts'

/**
 * Returns the chain id in decimal.
 *
 * @group Chain and node
 */
export const net_version = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: ({ read }) => read.chainId.toString(),
})
