import { method } from '../method.ts'

/** Installs a filter for the hashes of transactions as they enter the mempool. */
export const eth_newPendingTransactionFilter = method([], ({ filters }) =>
  filters.addPendingTransactionFilter(),
)
