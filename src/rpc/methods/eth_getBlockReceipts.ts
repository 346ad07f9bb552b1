import { toRpcReceipts } from '../format/format.ts'
import { method } from '../method.ts'
import { blockParameter } from '../params/block.ts'

/** Returns the receipts of a block, or null if there is none (spec.md §2.6). @throws StateUnavailableError */
export const eth_getBlockReceipts = method([blockParameter], async ({ viewed }, reference) => {
  const view = await viewed.find(reference)
  return view === undefined ? null : toRpcReceipts(view.executed)
})
