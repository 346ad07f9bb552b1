import { patchAccount } from '../../core/cheats/accounts.ts'
import { defineCheat } from '../method.ts'
import { address, data } from '../params/params.ts'

/**
 * Sets the code of an account at the head.
 *
 * @group Dev chain: accounts and state
 * @example ["$nobody", "0x6001"]
 */
export const anvil_setCode = defineCheat('setCode', {
  aliases: ['evm_setAccountCode'],
  params: [address, data],
  returns: true,
  handler: ({ control }, account, code) => patchAccount(control.cheats, account, () => ({ code })),
})
