import { method } from '../method.ts'
import { filterId } from '../params.ts'

/** Everything a log filter matches. @throws FilterNotFoundError */
export const eth_getFilterLogs = method([filterId], ({ filters, sight }, id) => filters.logs(id, sight))
