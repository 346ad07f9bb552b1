import { defineMethod } from '../method.ts'
import { filterId } from '../params/block.ts'

/**
 * Returns the new logs or hashes of a filter since the last poll.
 *
 * @throws FilterNotFoundError, TooManyLogsError, StateUnavailableError
 * @group Logs, filters and subscriptions
 * @example ["0x1"]
 */
export const eth_getFilterChanges = defineMethod({
  class: 'node',
  onFork: 'local',
  params: [filterId],
  handler: ({ filters, viewed }, id) => filters.changes(id, viewed),
})
