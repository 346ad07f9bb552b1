import { defineMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'

/**
 * Returns the revert data of a transaction, or `0x` if it did not revert.
 *
 * @throws TransactionNotFoundError, TraceTooLargeError, StateUnavailableError
 * @group Otterscan
 * @example ["$transaction"]
 */
export const ots_getTransactionError = defineMethod({
  class: 'debug',
  onFork: { reads: 'transaction', answer: 'reader' },
  params: [hash32],
  handler: async (context, hash) =>
    (await import('../otterscan/otterscan.ts')).transactionError(context, hash),
})
