import { defineMethod } from '../method.ts'

/**
 * Installs a filter for the hashes of newly sealed blocks and returns its id.
 *
 * @throws FilterLimitError
 * @group Logs, filters and subscriptions
 */
export const eth_newBlockFilter = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: ({ filters, viewed }) => filters.addBlockFilter(viewed),
})
