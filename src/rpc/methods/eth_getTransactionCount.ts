import { quantity } from '../../bytes.ts'
import { method } from '../method.ts'
import { address, blockParameter, optional } from '../params.ts'

/** The nonce; with `pending` it counts the pre-confirmed transactions too (spec.md §4.2). */
export const eth_getTransactionCount = method(
  [address, optional(blockParameter)],
  async ({ sight }, account, block) => quantity((await sight.require(block)).transactionCount(account)),
)
