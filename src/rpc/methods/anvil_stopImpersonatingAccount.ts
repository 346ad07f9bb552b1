import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { address } from '../params/params.ts'

/** Stops impersonating an account; its transactions stay. */
export const anvil_stopImpersonatingAccount = changeMethod(
  [address],
  async ({ send }, account) => {
    await send.signers.stopImpersonating(account)
    return null
  },
  { aliases: devNames('stopImpersonatingAccount') },
)
