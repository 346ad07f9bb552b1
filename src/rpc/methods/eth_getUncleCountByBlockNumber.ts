import { quantity } from '../../primitives/bytes.ts'
import { method } from '../method.ts'
import { blockPosition } from '../params/block.ts'

/** How many uncles a block has, null if there is no such block. */
export const eth_getUncleCountByBlockNumber = method([blockPosition], async ({ viewed }, reference) => {
  const view = await viewed.find(reference)
  return view === undefined ? null : quantity(view.block.uncles.length)
})
