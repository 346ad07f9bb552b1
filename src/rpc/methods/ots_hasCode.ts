import { optional } from '../../base/schema.ts'
import { defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { address } from '../params/params.ts'

/**
 * Returns whether an account has code.
 *
 * @throws HeaderNotFoundError, StateUnavailableError
 * @group Otterscan
 * @example ["$token", "latest"]
 */
export const ots_hasCode = defineMethod({
  class: 'node',
  onFork: { reads: 'state', answer: 'reader' },
  params: [address, optional(blockParameter)],
  handler: async (context, account, block) =>
    (await import('../otterscan/otterscan.ts')).hasCode(context, account, block),
})
