import { otterscanMethod } from '../otterscan/load.ts'
import { numberedBlock } from '../params/block.ts'

/**
 * Returns a block by number or tag, without its transactions and its bloom, and the sums of what it created and of the fees paid in it;
 * null if there is none.
 *
 * @throws StateUnavailableError for a block older than the history
 */
export const ots_getBlockDetails = otterscanMethod([numberedBlock], ({ blockDetails }) => blockDetails)
