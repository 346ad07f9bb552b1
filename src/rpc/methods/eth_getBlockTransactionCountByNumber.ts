import { quantity } from '../../primitives/bytes.ts'
import { method } from '../method.ts'
import { blockPosition } from '../params/block.ts'

/** How many transactions a block has, null if there is no such block. */
export const eth_getBlockTransactionCountByNumber = method([blockPosition], async ({ viewed }, position) => {
  const view = await viewed.find(position)
  return view === undefined ? null : quantity(view.block.transactions.length)
})
