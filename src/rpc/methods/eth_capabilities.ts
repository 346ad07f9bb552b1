import { defineMethod } from '../method.ts'

/**
 * Returns the head, and how far back the chain serves states, transactions, logs, receipts, blocks and proofs (execution-apis).
 *
 * @group Chain and node
 */
export const eth_capabilities = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: async (context) => (await import('../configuration.ts')).capabilities(context),
})
