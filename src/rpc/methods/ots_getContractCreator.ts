import { defineMethod } from '../method.ts'
import { address } from '../params/params.ts'

/**
 * Returns the transaction that created a contract and the account that created it. Returns null for an account without
 * code and for a contract that no transaction created.
 *
 * @throws TraceTooLargeError, StateUnavailableError
 * @group Otterscan
 * @views sealed blocks | sealed blocks, and `pending` is the preconf block
 * @example ["$token"]
 */
export const ots_getContractCreator = defineMethod({
  class: 'debug',
  onFork: 'local',
  params: [address],
  handler: async (context, contract) =>
    (await import('../otterscan/otterscan.ts')).contractCreator(context, contract),
})
