import { quantity } from '../../base/bytes.ts'
import { optional } from '../../base/schema.ts'
import { defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { address } from '../params/params.ts'

/**
 * Returns the nonce of an account (spec.md §4.2). With `pending`, pre-confirmed transactions count too. On standard, or
 * if the option `pendingNonce` is `'pool'`, so do waiting transactions without a nonce gap.
 *
 * @throws HeaderNotFoundError, StateUnavailableError
 * @group State and calls
 * @views `pending` counts the mempool | `pending` counts what is pre-confirmed
 * @example ["$alice", "latest"]
 */
export const eth_getTransactionCount = defineMethod({
  class: 'node',
  onFork: { reads: 'state', answer: 'quantity64' },
  params: [address, optional(blockParameter)],
  handler: async ({ viewed }, account, block) =>
    quantity((await viewed.require(block)).transactionCount(account)),
})
