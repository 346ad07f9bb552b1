import { method } from '../method.ts'
import { filterId } from '../params/block.ts'
import { queryLogs } from '../queryLogs.ts'

/**
 * Returns all logs that a log filter matches.
 *
 * @throws FilterNotFoundError
 * @throws as eth_getLogs does
 */
export const eth_getFilterLogs = method([filterId], ({ filters, viewed, read, dialect }, id) =>
  queryLogs(filters.query(id), viewed, read, dialect),
)
