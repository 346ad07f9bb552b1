import { devNames } from '../devChain.ts'
import { ForkingUnsupportedError } from '../errors.ts'
import { method } from '../method.ts'
import { any } from '../params/scalars.ts'

/** Always fails: there is no fork whose URL could be changed. @throws ForkingUnsupportedError */
export const anvil_setRpcUrl = method(
  [any],
  (): null => {
    throw new ForkingUnsupportedError()
  },
  { aliases: devNames('setRpcUrl') },
)
