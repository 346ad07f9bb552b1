import { defineCheat } from '../method.ts'
import { address } from '../params/params.ts'

/**
 * Impersonates an account: it can send without its key (spec.md 33).
 *
 * @group Dev chain: accounts and state
 * @example ["$token"]
 */
export const anvil_impersonateAccount = defineCheat('impersonateAccount', {
  params: [address],
  returns: null,
  handler: ({ send }, account) => send.signers.impersonate(account),
})
