import { optional } from '../../primitives/schema.ts'
import { devNames } from '../devChain.ts'
import { ForkingUnsupportedError } from '../errors.ts'
import { method } from '../method.ts'
import { resetRequest } from '../params/dev.ts'

/**
 * Reverts the chain to its first block: genesis, or on a fork the forked block (design, decision 33f).
 *
 * @throws ForkingUnsupportedError if a URL to fork from is given
 * @throws StateUnavailableError if the history no longer reaches genesis
 */
export const anvil_reset = method(
  [optional(resetRequest)],
  async ({ control }, request) => {
    if (request?.forking?.jsonRpcUrl !== undefined) throw new ForkingUnsupportedError()
    await control.cheats.snapshots.reset()
    return true
  },
  { aliases: devNames('reset') },
)
