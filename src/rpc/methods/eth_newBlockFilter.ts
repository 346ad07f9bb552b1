import { method } from '../method.ts'

/** Installs a filter for the hashes of blocks as they are sealed. */
export const eth_newBlockFilter = method([], ({ filters, viewed }) => filters.addBlockFilter(viewed))
