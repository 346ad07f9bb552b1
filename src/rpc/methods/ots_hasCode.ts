import { optional } from '../../base/schema.ts'
import { readCode } from '../../ethereum/state/account.ts'
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
  handler: async ({ viewed }, account, block) =>
    readCode((await viewed.require(block)).state, account).length > 0,
})
