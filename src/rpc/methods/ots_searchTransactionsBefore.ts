import { defineMethod } from '../method.ts'
import { address, count, pageSize } from '../params/params.ts'

/**
 * Returns the newest transactions of an address before a block, or of the whole chain with 0. It matches transactions
 * that the address sends or receives, and transactions in which it calls or is called. A page contains all matches in
 * its last block. On a fork, finds only transactions after the fork.
 *
 * @throws TraceTooLargeError
 * @group Otterscan
 * @views sealed transactions | sealed and pre-confirmed transactions
 * @example ["$alice", 0, 2]
 */
export const ots_searchTransactionsBefore = defineMethod({
  class: 'debug',
  onFork: 'local',
  params: [address, count, pageSize],
  handler: async (context, account, block, size) =>
    (await import('../otterscan/otterscan.ts')).searchBefore(context, account, block, size),
})
