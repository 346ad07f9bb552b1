import { method } from '../method.ts'

/** Returns false: the chain has no peers to sync from. */
export const eth_syncing = method([], () => false)
