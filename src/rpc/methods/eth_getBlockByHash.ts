import { optional } from '../../base/schema.ts'
import { toViewedBlock } from '../format/format.ts'
import { method } from '../method.ts'
import { boolean, hash32 } from '../params/params.ts'

/**
 * Returns a block by its hash, with transaction hashes or full transactions, or null if there is none. On preconf,
 * snapshots of the block under construction and of the block before it are found too.
 */
export const eth_getBlockByHash = method(
  [hash32, optional(boolean)],
  async ({ viewed, dialect }, hash, full = false) => {
    const view = await viewed.find({ kind: 'hash', hash, requireCanonical: false })
    return view === undefined ? null : toViewedBlock(view, full, dialect)
  },
)
