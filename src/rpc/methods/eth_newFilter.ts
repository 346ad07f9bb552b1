import { method } from '../method.ts'
import { logFilter } from '../params/block.ts'

/**
 * Installs a filter for new logs and returns its id; on preconf, one that ends in `pending` delivers pre-confirmed
 * logs, each once.
 *
 * @throws FilterLimitError
 * @throws BlockHashWithRangeError in the `geth` dialect
 */
export const eth_newFilter = method([logFilter], ({ filters, viewed }, filter) =>
  filters.addLogFilter(filter, viewed),
)
