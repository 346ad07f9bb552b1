import { bigintToBytes32, bytesToHex } from '../../base/bytes.ts'
import { optional } from '../../base/schema.ts'
import { readSlot } from '../../ethereum/state/account.ts'
import { defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { address, slot } from '../params/params.ts'

/**
 * Returns the 32 bytes of a storage slot (spec.md §4.2).
 *
 * @throws HeaderNotFoundError, StateUnavailableError
 * @group State and calls
 * @example ["$probe", "0x7", "latest"]
 */
export const eth_getStorageAt = defineMethod({
  class: 'node',
  onFork: { reads: 'state', answer: 'reader' },
  params: [address, slot, optional(blockParameter)],
  handler: async ({ viewed }, account, key, block) => {
    const { state } = await viewed.require(block)
    return bytesToHex(bigintToBytes32(readSlot(state, account, key)))
  },
})
