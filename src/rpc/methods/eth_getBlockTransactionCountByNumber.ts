import { quantity } from '../../base/bytes.ts'
import { method } from '../method.ts'
import { blockPosition } from '../params/block.ts'

/** Returns the number of transactions of a block by number or tag, or null if there is none. */
export const eth_getBlockTransactionCountByNumber = method([blockPosition], async ({ viewed }, position) => {
  const view = await viewed.find(position)
  return view === undefined ? null : quantity(view.block.transactions.length)
})
