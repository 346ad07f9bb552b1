import { optional } from '../../primitives/schema.ts'
import { toViewedBlock } from '../format/format.ts'
import { method } from '../method.ts'
import { boolean, hash32 } from '../params/scalars.ts'

/** A block by its hash; on preconf also a snapshot of this slot or the one before. */
export const eth_getBlockByHash = method(
  [hash32, optional(boolean)],
  async ({ viewed, dialect }, hash, full = false) => {
    const view = await viewed.find({ kind: 'hash', hash, requireCanonical: false })
    return view === undefined ? null : toViewedBlock(view, full, dialect)
  },
)
