import { defineMethod } from '../method.ts'

/**
 * Returns the supported level of Otterscan's API.
 *
 * @group Otterscan
 */
export const ots_getApiLevel = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: () => 8,
})
