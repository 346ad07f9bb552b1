import { defineMethod } from '../method.ts'

/**
 * Returns the head and how far back states, transactions, logs, receipts, blocks and proofs reach (execution-apis).
 *
 * @group Chain and node
 */
export const eth_capabilities = defineMethod({
  class: 'node',
  onFork: 'local',
  handler: async (context) => (await import('../configuration.ts')).capabilities(context),
})
