import { method } from '../method.ts'
import { filterId } from '../params/logs.ts'

/**
 * Returns all logs that a log filter matches.
 *
 * @throws FilterNotFoundError
 * @throws as eth_getLogs does
 */
export const eth_getFilterLogs = method([filterId], ({ filters, viewed }, id) => filters.logs(id, viewed))
