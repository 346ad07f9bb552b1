import { defineMethod } from '../method.ts'
import { logFilter } from '../params/block.ts'

/**
 * Installs a filter for new logs and returns its id. On preconf, a filter that ends in `pending` delivers pre-confirmed
 * logs, each once.
 *
 * @throws FilterLimitError
 * @throws BlockHashWithRangeError in the `geth` dialect
 * @group Logs, filters and subscriptions
 * @views sealed logs | a range may end in `pending`
 * @example [{ "fromBlock": "0x0", "toBlock": "pending" }]
 */
export const eth_newFilter = defineMethod({
  class: 'node',
  onFork: 'local',
  params: [logFilter],
  handler: ({ filters, viewed }, filter) => filters.addLogFilter(filter, viewed),
})
