import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { boolean } from '../params/scalars.ts'

/** Switches impersonation of all accounts; accounts that are impersonated by address are not affected. */
export const anvil_autoImpersonateAccount = method(
  [boolean],
  ({ send }, enabled) => {
    send.signers.impersonateEveryone(enabled)
    return null
  },
  { aliases: devNames('autoImpersonateAccount') },
)
