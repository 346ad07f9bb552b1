import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { nodeUrl } from '../params/dev.ts'

/**
 * Reads the fork from another node from now on, which must have the forked block.
 *
 * @throws NotForkedError, ForkOfflineError, OtherForkedChainError, and the errors of the node
 */
export const anvil_setRpcUrl = method(
  [nodeUrl],
  async ({ control }, url) => {
    await control.setForkUrl(url)
    return null
  },
  { aliases: devNames('setRpcUrl') },
)
