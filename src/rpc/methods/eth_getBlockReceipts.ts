import { toRpcReceipts } from '../format/format.ts'
import { method } from '../method.ts'
import { blockParameter } from '../params/block.ts'

/** The receipts of a block, null if there is none (spec.md §2.6). */
export const eth_getBlockReceipts = method([blockParameter], async ({ viewed }, reference) => {
  const view = await viewed.find(reference)
  return view === undefined ? null : toRpcReceipts({ ...view.block, receipts: view.receipts })
})
