import { patchAccount } from '../../core/cheats/accounts.ts'
import { defineCheat } from '../method.ts'
import { amount } from '../params/dev.ts'
import { address } from '../params/params.ts'

/**
 * Sets the balance of an account at the head, in wei.
 *
 * @group Dev chain: accounts and state
 * @example ["$nobody", "0x1"]
 */
export const anvil_setBalance = defineCheat('setBalance', {
  aliases: ['evm_setAccountBalance'],
  params: [address, amount],
  returns: true,
  handler: ({ control }, account, balance) => patchAccount(control.cheats, account, () => ({ balance })),
})
