import { optional } from '../../primitives/schema.ts'
import { devNames } from '../devChain.ts'
import { ForkingUnsupportedError } from '../errors.ts'
import { method } from '../method.ts'
import { resetRequest } from '../params/dev.ts'

/** Returns to genesis. @throws ForkingUnsupportedError if it is to become the copy of another chain. */
export const anvil_reset = method(
  [optional(resetRequest)],
  async ({ control }, request) => {
    if (request?.forking?.jsonRpcUrl !== undefined) throw new ForkingUnsupportedError()
    await control.cheats.snapshots.reset()
    return true
  },
  { aliases: devNames('reset') },
)
