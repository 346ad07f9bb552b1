import { quantity } from '../../primitives/bytes.ts'
import { optional } from '../../primitives/schema.ts'
import { method } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { address } from '../params/scalars.ts'

/** The nonce; with `pending` it counts the pre-confirmed transactions too (spec.md §4.2). */
export const eth_getTransactionCount = method(
  [address, optional(blockParameter)],
  async ({ sight }, account, block) => quantity((await sight.require(block)).transactionCount(account)),
)
