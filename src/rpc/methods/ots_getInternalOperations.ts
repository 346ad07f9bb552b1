import { defineMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'

/**
 * Returns what a transaction caused below its outermost frame, in order: transfers of ether, creations, and SELFDESTRUCTs, those in failed
 * frames included.
 *
 * @throws TransactionNotFoundError, TraceTooLargeError, StateUnavailableError
 * @group Otterscan
 * @example ["$transaction"]
 */
export const ots_getInternalOperations = defineMethod({
  class: 'debug',
  onFork: 'internalOperations',
  params: [hash32],
  handler: async (context, hash) =>
    (await import('../otterscan/otterscan.ts')).internalOperations(context, hash),
})
