import { defineMethod } from '../method.ts'
import { address, count, pageSize } from '../params/params.ts'

/**
 * Returns the newest transactions of an address before a block (0: of all blocks): sent or received by it, or with a
 * frame that calls it or that it calls. A page contains all matches in its last block. On a fork, finds only
 * transactions after the fork.
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
