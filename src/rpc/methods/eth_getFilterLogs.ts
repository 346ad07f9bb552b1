import { method } from '../method.ts'
import { filterId } from '../params/logs.ts'

/** Everything a log filter matches. @throws FilterNotFoundError */
export const eth_getFilterLogs = method([filterId], ({ filters, viewed }, id) => filters.logs(id, viewed))
