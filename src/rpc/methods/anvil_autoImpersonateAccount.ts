import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { boolean } from '../params/scalars.ts'

/** Lets every account send without its key, or no longer those that are not impersonated by name. */
export const anvil_autoImpersonateAccount = method(
  [boolean],
  ({ send }, everyone) => {
    send.signers.impersonateEveryone(everyone)
    return null
  },
  { aliases: devNames('autoImpersonateAccount') },
)
