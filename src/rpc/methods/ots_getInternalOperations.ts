import { defineMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'

/**
 * Returns the operations below the outermost frame of a transaction, in order: ether transfers, creations and
 * SELFDESTRUCTs, including failed frames.
 *
 * @throws TransactionNotFoundError, TraceTooLargeError, StateUnavailableError
 * @group Otterscan
 * @example ["$transaction"]
 */
export const ots_getInternalOperations = defineMethod({
  class: 'debug',
  onFork: { reads: 'transaction', answer: 'reader' },
  params: [hash32],
  handler: async (context, hash) =>
    (await import('../otterscan/otterscan.ts')).internalOperations(context, hash),
})
