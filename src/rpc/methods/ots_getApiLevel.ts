import { defineMethod } from '../method.ts'

/**
 * Returns the level of Otterscan's methods that is served.
 *
 * @group Otterscan
 */
export const ots_getApiLevel = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: () => 8,
})
