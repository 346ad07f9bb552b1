import { optional } from '../../primitives/schema.ts'
import { lazyMethod } from '../method.ts'
import { loadOtterscan } from '../otterscan/load.ts'
import { blockParameter } from '../params/block.ts'
import { address } from '../params/scalars.ts'

/** Returns whether an account has code. @throws HeaderNotFoundError, StateUnavailableError */
export const ots_hasCode = lazyMethod(
  [address, optional(blockParameter)],
  async () => (await loadOtterscan()).hasCode,
)
