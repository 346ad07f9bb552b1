import { defineMethod } from '../method.ts'
import { address, count, pageSize } from '../params/params.ts'

/**
 * Returns the oldest transactions of an address after a block, or of the whole chain with 0, in order from newest to
 * oldest; see ots_searchTransactionsBefore.
 *
 * @throws TraceTooLargeError
 * @group Otterscan
 * @views sealed transactions | sealed and pre-confirmed transactions
 * @example ["$token", 0, 25]
 */
export const ots_searchTransactionsAfter = defineMethod({
  class: 'debug',
  onFork: 'local',
  params: [address, count, pageSize],
  handler: async (context, account, block, size) =>
    (await import('../otterscan/otterscan.ts')).searchAfter(context, account, block, size),
})
