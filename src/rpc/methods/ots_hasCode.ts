import { optional } from '../../base/schema.ts'
import { otterscanMethod } from '../otterscan/load.ts'
import { blockParameter } from '../params/block.ts'
import { address } from '../params/params.ts'

/** Returns whether an account has code. @throws HeaderNotFoundError, StateUnavailableError */
export const ots_hasCode = otterscanMethod([address, optional(blockParameter)], ({ hasCode }) => hasCode)
