import { method } from '../method.ts'
import { filterId } from '../params/block.ts'

/**
 * Returns the logs or hashes of a filter that are new since the last poll.
 *
 * @throws FilterNotFoundError, TooManyLogsError, StateUnavailableError
 */
export const eth_getFilterChanges = method([filterId], ({ filters, viewed }, id) =>
  filters.changes(id, viewed),
)
