import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { address } from '../params/scalars.ts'

/** Stops impersonating an account; its transactions stay. */
export const anvil_stopImpersonatingAccount = method(
  [address],
  async ({ send }, account) => {
    await send.signers.stopImpersonating(account)
    return null
  },
  { aliases: devNames('stopImpersonatingAccount') },
)
