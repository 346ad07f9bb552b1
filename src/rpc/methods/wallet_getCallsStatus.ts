import { method } from '../method.ts'
import { batchId } from '../params/wallet.ts'

/**
 * What has become of a batch of calls (EIP-5792): on preconf from pre-confirmation on, on standard from sealing on.
 *
 * @throws UnknownBatchError
 */
export const wallet_getCallsStatus = method([batchId], async ({ view, read, send }, id) => {
  const batch = send.batches.get(id)
  const { callsStatus } = await import('../wallet/callsStatus.ts')
  // The chain may have moved on meanwhile, and what waits is read as it is now.
  return callsStatus({ viewed: view.capture(), read }, id, batch)
})
