import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { address } from '../params/scalars.ts'

/** No longer lets an account send without its key; what it has sent stays. */
export const anvil_stopImpersonatingAccount = method(
  [address],
  ({ send }, account) => {
    send.signers.stopImpersonating(account)
    return null
  },
  { aliases: devNames('stopImpersonatingAccount') },
)
