import { bytesToHex } from '../../base/bytes.ts'
import { optional } from '../../base/schema.ts'
import { readCode } from '../../ethereum/state/account.ts'
import { defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { address } from '../params/params.ts'

/**
 * Returns the code of an account, or `0x` if it has none (spec.md §4.2).
 *
 * @throws HeaderNotFoundError, StateUnavailableError
 * @group State and calls
 * @example ["$token", "latest"]
 */
export const eth_getCode = defineMethod({
  class: 'node',
  onFork: { reads: 'state', answer: 'bytes' },
  params: [address, optional(blockParameter)],
  handler: async ({ viewed }, account, block) => {
    const { state } = await viewed.require(block)
    return bytesToHex(readCode(state, account))
  },
})
