import { addBalance } from '../../core/cheats/accounts.ts'
import { defineCheat } from '../method.ts'
import { amount } from '../params/dev.ts'
import { address } from '../params/params.ts'

/**
 * Adds wei to the balance of an account at the head.
 *
 * @group Dev chain: accounts and state
 * @example ["$nobody", "0x1"]
 */
export const anvil_addBalance = defineCheat('addBalance', {
  params: [address, amount],
  returns: true,
  handler: ({ control }, account, wei) => addBalance(control.cheats, account, wei),
})
