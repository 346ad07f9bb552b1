import { patchAccount } from '../../core/cheats/accounts.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { integer } from '../params/dev.ts'
import { address } from '../params/params.ts'

/** Sets the nonce of an account at the head. */
export const anvil_setNonce = changeMethod(
  [address, integer],
  async ({ control }, account, nonce) => {
    await patchAccount(control.cheats, account, () => ({ nonce: BigInt(nonce) }))
    return true
  },
  { aliases: [...devNames('setNonce'), 'evm_setAccountNonce'] },
)
