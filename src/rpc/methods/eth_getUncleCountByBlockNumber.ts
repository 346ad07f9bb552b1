import { quantity } from '../../base/bytes.ts'
import { method } from '../method.ts'
import { blockPosition } from '../params/block.ts'

/** Returns the number of uncles of a block by number or tag, or null if there is no such block. */
export const eth_getUncleCountByBlockNumber = method([blockPosition], async ({ viewed }, reference) => {
  const view = await viewed.find(reference)
  return view === undefined ? null : quantity(view.block.uncles.length)
})
