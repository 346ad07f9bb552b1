import { patchAccount } from '../../core/cheats/accounts.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { address, data } from '../params/params.ts'

/** Sets the code of an account at the head. */
export const anvil_setCode = changeMethod(
  [address, data],
  async ({ control }, account, code) => {
    await patchAccount(control.cheats, account, () => ({ code }))
    return true
  },
  { aliases: [...devNames('setCode'), 'evm_setAccountCode'] },
)
