import { defineMethod } from '../method.ts'
import { filterId } from '../params/block.ts'
import { queryLogs } from '../queryLogs.ts'

/**
 * Returns all logs that a log filter matches.
 *
 * @throws FilterNotFoundError
 * @throws as eth_getLogs does
 * @group Logs, filters and subscriptions
 * @example ["0x1"]
 */
export const eth_getFilterLogs = defineMethod({
  class: 'node',
  onFork: { reads: 'range', answer: 'reader' },
  params: [filterId],
  handler: ({ filters, viewed, read, dialect }, id) => queryLogs(filters.query(id), viewed, read, dialect),
})
