import { defineMethod } from '../method.ts'
import { batchId } from '../params/wallet.ts'

/**
 * Returns the status of a batch of calls (EIP-5792): pending until it is pre-confirmed (preconf) or sealed (standard).
 *
 * @throws UnknownBatchError
 * @group Wallet
 * @views 200 once the batch is sealed | 200 once the batch is pre-confirmed
 * @example ["$batch"]
 */
export const wallet_getCallsStatus = defineMethod({
  class: 'wallet',
  params: [batchId],
  handler: async ({ view, read, send }, id) => {
    const batch = send.batches.get(id)
    const { callsStatus } = await import('../wallet/calls.ts')
    // Captured after the await, so that the tip is as new as the mempool.
    return callsStatus({ viewed: view.capture(), read }, id, batch)
  },
})
