import { method } from '../method.ts'
import { filterId } from '../params/logs.ts'

/** What is new since the last look. @throws FilterNotFoundError */
export const eth_getFilterChanges = method([filterId], ({ filters, viewed }, id) =>
  filters.changes(id, viewed),
)
