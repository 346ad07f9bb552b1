import { otterscanMethod } from '../otterscan/load.ts'
import { blockHash } from '../params/block.ts'

/** Returns a block by hash; see ots_getBlockDetails. @throws StateUnavailableError */
export const ots_getBlockDetailsByHash = otterscanMethod([blockHash], ({ blockDetails }) => blockDetails)
