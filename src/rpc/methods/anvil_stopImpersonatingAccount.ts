import { defineCheat } from '../method.ts'
import { address } from '../params/params.ts'

/**
 * Stops impersonating an account. Transactions that it has sent stay.
 *
 * @group Dev chain: accounts and state
 * @example ["$token"]
 */
export const anvil_stopImpersonatingAccount = defineCheat('stopImpersonatingAccount', {
  params: [address],
  returns: null,
  handler: ({ send }, account) => send.signers.stopImpersonating(account),
})
