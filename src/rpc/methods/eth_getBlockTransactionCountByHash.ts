import { quantity } from '../../base/bytes.ts'
import { method } from '../method.ts'
import { hash32 } from '../params/params.ts'

/** Returns the number of transactions of the block with this hash, or null if there is none. */
export const eth_getBlockTransactionCountByHash = method([hash32], async ({ viewed }, hash) => {
  const view = await viewed.find({ kind: 'hash', hash, requireCanonical: false })
  return view === undefined ? null : quantity(view.block.transactions.length)
})
