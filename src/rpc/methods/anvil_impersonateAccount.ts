import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { address } from '../params/params.ts'

/** Impersonates an account: it can send without its key (spec.md 33). */
export const anvil_impersonateAccount = changeMethod(
  [address],
  async ({ send }, account) => {
    await send.signers.impersonate(account)
    return null
  },
  { aliases: devNames('impersonateAccount') },
)
