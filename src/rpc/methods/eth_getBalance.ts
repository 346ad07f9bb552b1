import { quantity } from '../../bytes.ts'
import { method } from '../method.ts'
import { address, blockParameter, optional } from '../params.ts'

/** Balance in wei (spec.md §4.2). */
export const eth_getBalance = method(
  [address, optional(blockParameter)],
  async ({ sight }, account, block) => {
    const { state } = await sight.require(block)
    return quantity(state.account(account)?.balance ?? 0n)
  },
)
