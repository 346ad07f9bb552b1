import { defineMethod } from '../method.ts'
import { batchId } from '../params/wallet.ts'

/**
 * Returns null for a known batch of calls (EIP-5792): there is no user interface to show it.
 *
 * @throws UnknownBatchError
 * @group Wallet
 * @example ["$batch"]
 */
export const wallet_showCallsStatus = defineMethod({
  class: 'wallet',
  params: [batchId],
  returns: null,
  handler: ({ send }, id) => send.batches.get(id),
})
