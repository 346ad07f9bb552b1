import { method } from '../method.ts'

/**
 * Installs a filter for the hashes of transactions that enter the mempool; returns its id.
 *
 * @throws FilterLimitError
 */
export const eth_newPendingTransactionFilter = method([], ({ filters }) =>
  filters.addPendingTransactionFilter(),
)
