import { patchAccount } from '../../core/cheats/accounts.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { amount } from '../params/dev.ts'
import { address } from '../params/params.ts'

/** Sets the balance of an account at the head, in wei. */
export const anvil_setBalance = changeMethod(
  [address, amount],
  async ({ control }, account, balance) => {
    await patchAccount(control.cheats, account, () => ({ balance }))
    return true
  },
  { aliases: [...devNames('setBalance'), 'evm_setAccountBalance'] },
)
