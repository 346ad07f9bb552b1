import { defineMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'

/**
 * Returns the frames of a transaction in order, with their depth, without frames of precompiles.
 *
 * @throws TransactionNotFoundError, TraceTooLargeError, StateUnavailableError
 * @group Otterscan
 * @example ["$transaction"]
 */
export const ots_traceTransaction = defineMethod({
  class: 'debug',
  onFork: { reads: 'transaction', answer: 'reader' },
  params: [hash32],
  handler: async (context, hash) => (await import('../otterscan/otterscan.ts')).traces(context, hash),
})
