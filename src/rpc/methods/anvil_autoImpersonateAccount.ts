import { defineCheat } from '../method.ts'
import { boolean } from '../params/params.ts'

/**
 * Turns impersonation of all accounts on or off. Accounts impersonated by address are not affected.
 *
 * @group Dev chain: accounts and state
 * @example [true]
 */
export const anvil_autoImpersonateAccount = defineCheat('autoImpersonateAccount', {
  params: [boolean],
  returns: null,
  handler: ({ send }, enabled) => send.signers.impersonateEveryone(enabled),
})
