import { defineMethod } from '../method.ts'

/**
 * Installs a filter for the hashes of transactions that enter the mempool and returns its id.
 *
 * @throws FilterLimitError
 * @group Logs, filters and subscriptions
 */
export const eth_newPendingTransactionFilter = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: ({ filters }) => filters.addPendingTransactionFilter(),
})
