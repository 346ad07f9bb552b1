import { addBalance } from '../../core/cheats/accounts.ts'
import { defineMethod, devNames } from '../method.ts'
import { amount } from '../params/dev.ts'
import { address } from '../params/params.ts'

/**
 * Adds wei to the balance of an account at the head.
 *
 * @group Dev chain: accounts and state
 * @example ["$nobody", "0x1"]
 */
export const anvil_addBalance = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: devNames('addBalance'),
  params: [address, amount],
  returns: true,
  handler: ({ control }, account, wei) => addBalance(control.cheats, account, wei),
})
