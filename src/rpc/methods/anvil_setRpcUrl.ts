import { devNames } from '../devChain.ts'
import { ForkingUnsupportedError } from '../errors.ts'
import { method } from '../method.ts'
import { any } from '../params/scalars.ts'

/** @throws ForkingUnsupportedError */
export const anvil_setRpcUrl = method(
  [any],
  (): null => {
    throw new ForkingUnsupportedError()
  },
  { aliases: devNames('setRpcUrl') },
)
