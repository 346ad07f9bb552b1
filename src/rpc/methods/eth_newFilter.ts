import { method } from '../method.ts'
import { logFilter } from '../params/logs.ts'

/** Installs a filter for logs; on preconf one that ends in `pending` delivers pre-confirmed logs, each once. */
export const eth_newFilter = method([logFilter], ({ filters, viewed }, filter) =>
  filters.addLogFilter(filter, viewed),
)
