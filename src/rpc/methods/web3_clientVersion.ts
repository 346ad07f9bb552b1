import { clientVersion } from '../devChain.ts'
import { defineMethod } from '../method.ts'

/**
 * Returns the option `clientVersion`, or the name and version of this library, as the dialect has them.
 *
 * @group Chain and node
 */
export const web3_clientVersion = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: clientVersion,
})
