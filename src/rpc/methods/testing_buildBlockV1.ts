import { array, type InputOf, optional, untouched } from '../../base/schema.ts'
import type { Hex } from '../../base/types.ts'
import type { payloadAttributes } from '../buildBlock.ts'
import { lazyMethod } from '../method.ts'
import { blockHash } from '../params/block.ts'
import { rawTransaction } from '../params/params.ts'

/**
 * Builds a block on any block within the history, and returns it as engine_getPayload does (execution-apis). It has the given
 * transactions, all of them in their order, or with null those of the mempool. The chain stays as it is.
 *
 * @throws HeaderNotFoundError, StateUnavailableError, EarlyWithdrawalsError, TransactionRejectedError
 */
export const testing_buildBlockV1 = lazyMethod(
  [
    blockHash,
    // Parsed in the chunk.
    untouched<InputOf<typeof payloadAttributes>>('an object'),
    optional(array(rawTransaction)),
    optional(untouched<Hex>('hex')),
  ],
  async () => (await import('../buildBlock.ts')).buildBlock,
)
