import { patchAccount } from '../../cheats/accounts.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { address, data } from '../params/scalars.ts'

/** Sets the code of an account. */
export const anvil_setCode = method(
  [address, data],
  async ({ control }, of, code) => {
    await patchAccount(control.cheats, of, () => ({ code }))
    return true
  },
  { aliases: [...devNames('setCode'), 'evm_setAccountCode'] },
)
