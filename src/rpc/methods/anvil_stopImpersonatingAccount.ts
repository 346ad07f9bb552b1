import { defineMethod, devNames } from '../method.ts'
import { address } from '../params/params.ts'

/**
 * Stops impersonating an account. Transactions that it has sent stay.
 *
 * @group Dev chain: accounts and state
 * @example ["$token"]
 */
export const anvil_stopImpersonatingAccount = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: devNames('stopImpersonatingAccount'),
  params: [address],
  returns: null,
  handler: ({ send }, account) => send.signers.stopImpersonating(account),
})
