import { method } from '../method.ts'

/** Installs a filter for the hashes of newly sealed blocks; returns its id. @throws FilterLimitError */
export const eth_newBlockFilter = method([], ({ filters, viewed }) => filters.addBlockFilter(viewed))
