import { method } from '../method.ts'
import { batchId } from '../params/wallet.ts'

/** Null: there is no user to show the batch to (EIP-5792). @throws UnknownBatchError */
export const wallet_showCallsStatus = method([batchId], ({ send }, id) => {
  send.batches.get(id)
  return null
})
