import { quantity } from '../../base/bytes.ts'
import { optional } from '../../base/schema.ts'
import { defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { address } from '../params/params.ts'

/**
 * Returns the balance of an account in wei (spec.md §4.2).
 *
 * @throws HeaderNotFoundError, StateUnavailableError
 * @group State and calls
 * @example ["$alice", "latest"]
 */
export const eth_getBalance = defineMethod({
  class: 'node',
  onFork: { reads: 'state', answer: 'quantity' },
  params: [address, optional(blockParameter)],
  handler: async ({ viewed }, account, block) => {
    const { state } = await viewed.require(block)
    return quantity(state.account(account)?.balance ?? 0n)
  },
})
