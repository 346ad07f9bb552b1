import { patchAccount } from '../../core/cheats/accounts.ts'
import { devNames } from '../devChain.ts'
import { defineMethod } from '../method.ts'
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
  handler: async ({ control }, account, code) => {
    await patchAccount(control.cheats, account, () => ({ code }))
    return true
  },
})
