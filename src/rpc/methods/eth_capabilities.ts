import { lazyMethod } from '../method.ts'

/** Returns the head, and how far back the chain serves states, transactions, logs, receipts, blocks and proofs (execution-apis). */
export const eth_capabilities = lazyMethod([], async () => (await import('../configuration.ts')).capabilities)
