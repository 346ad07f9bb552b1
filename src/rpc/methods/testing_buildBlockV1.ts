import { array, type InputOf, optional, untouched } from '../../base/schema.ts'
import type { Hex } from '../../base/types.ts'
import type { payloadAttributes } from '../buildBlock.ts'
import { defineMethod } from '../method.ts'
import { blockHash } from '../params/block.ts'
import { rawTransaction } from '../params/params.ts'

/**
 * Builds a block on any block within the history and returns it as engine_getPayload does (execution-apis). The block
 * contains all given transactions in order or, with null, the mempool's. The chain does not change.
 *
 * @throws HeaderNotFoundError, StateUnavailableError, EarlyWithdrawalsError, TransactionRejectedError
 * @throws InvalidParamsError if the timestamp is not after the parent's, and for a block before the merge
 * @group Blocks
 * @views builds on sealed blocks | builds on sealed blocks and preconf blocks
 * @example ["$block", { "timestamp": "0x77359400", "prevRandao": "$unknown", "suggestedFeeRecipient": "$alice",
 *   "withdrawals": [{ "index": "0x0", "validatorIndex": "0x1", "address": "$bob", "amount": "0x5" }],
 *   "parentBeaconBlockRoot": "$unknown" }, [], "0x1234"]
 */
export const testing_buildBlockV1 = defineMethod({
  class: 'debug',
  onFork: 'local',
  params: [
    blockHash,
    // Parsed in the lazy chunk of `buildBlock.ts`.
    untouched<InputOf<typeof payloadAttributes>>('an object'),
    optional(array(rawTransaction)),
    optional(untouched<Hex>('hex')),
  ],
  handler: async (...request) => (await import('../buildBlock.ts')).buildBlock(...request),
})
