import { method } from '../method.ts'
import { batchId } from '../params/wallet.ts'

/** Null: there is nobody to be shown the batch (EIP-5792). @throws UnknownBatchError */
export const wallet_showCallsStatus = method([batchId], ({ send }, id) => {
  send.batches.get(id)
  return null
})
