import { clientVersion } from '../devChain.ts'
import { defineMethod } from '../method.ts'

/**
 * Returns the option `clientVersion`, or this library's name and version in the form of the dialect.
 *
 * @group Chain and node
 */
export const web3_clientVersion = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: clientVersion,
})
