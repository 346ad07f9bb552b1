import { quantity } from '../../primitives/bytes.ts'
import { optional } from '../../primitives/schema.ts'
import { method } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { address } from '../params/scalars.ts'

/** The nonce; with `pending` it counts the pre-confirmed transactions too (spec.md §4.2). */
export const eth_getTransactionCount = method(
  [address, optional(blockParameter)],
  async ({ viewed }, account, block) => quantity((await viewed.require(block)).transactionCount(account)),
)
