import { method } from '../method.ts'

/** Always false: the chain is its own source. */
export const eth_syncing = method([], () => false)
