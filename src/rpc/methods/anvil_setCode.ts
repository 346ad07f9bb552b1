import { patchAccount } from '../../core/cheats/accounts.ts'
import { defineMethod, devNames } from '../method.ts'
import { address, data } from '../params/params.ts'

/**
 * Sets the code of an account at the head.
 *
 * @group Dev chain: accounts and state
 * @example ["$nobody", "0x6001"]
 */
export const anvil_setCode = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: [...devNames('setCode'), 'evm_setAccountCode'],
  params: [address, data],
  returns: true,
  handler: ({ control }, account, code) => patchAccount(control.cheats, account, () => ({ code })),
})
