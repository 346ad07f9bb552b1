import { devNames } from '../devChain.ts'
import { ForkingUnsupportedError } from '../errors.ts'
import { method } from '../method.ts'
import { any } from '../params/scalars.ts'

/** Always fails: a running chain keeps the node that it forks. @throws ForkingUnsupportedError */
export const anvil_setRpcUrl = method(
  [any],
  (): null => {
    throw new ForkingUnsupportedError()
  },
  { aliases: devNames('setRpcUrl') },
)
