import { method } from '../method.ts'
import { batchId } from '../params/wallet.ts'

/**
 * Returns null for a known batch of calls (EIP-5792): there is no user interface to show it.
 *
 * @throws UnknownBatchError
 */
export const wallet_showCallsStatus = method([batchId], ({ send }, id) => {
  send.batches.get(id)
  return null
})
