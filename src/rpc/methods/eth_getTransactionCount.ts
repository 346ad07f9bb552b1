import { quantity } from '../../base/bytes.ts'
import { optional } from '../../base/schema.ts'
import { method } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { address } from '../params/params.ts'

/**
 * Returns the nonce of an account; with `pending` it includes pre-confirmed transactions (spec.md §4.2) and, on
 * standard or if `pendingNonce` is `'pool'`, waiting ones without a nonce gap.
 *
 * @throws HeaderNotFoundError, StateUnavailableError
 */
export const eth_getTransactionCount = method(
  [address, optional(blockParameter)],
  async ({ viewed }, account, block) => quantity((await viewed.require(block)).transactionCount(account)),
)
