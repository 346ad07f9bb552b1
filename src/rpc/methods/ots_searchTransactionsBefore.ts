import { defineMethod } from '../method.ts'
import { address, count, pageSize } from '../params/params.ts'

/**
 * Returns the newest transactions of an address before a block, or with 0 of all: those that it sent or received, and those that
 * called it, or that it called, in some frame. A page has all of its last block; on a fork, only transactions after the fork are found.
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
