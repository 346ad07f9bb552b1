import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { boolean } from '../params/params.ts'

/** Turns impersonation of all accounts on or off; accounts that are impersonated by address are not affected. */
export const anvil_autoImpersonateAccount = changeMethod(
  [boolean],
  async ({ send }, enabled) => {
    await send.signers.impersonateEveryone(enabled)
    return null
  },
  { aliases: devNames('autoImpersonateAccount') },
)
