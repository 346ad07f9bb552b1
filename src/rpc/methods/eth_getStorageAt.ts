import { bigintToBytes32, bytesToHex } from '../../bytes.ts'
import { readSlot } from '../../state/account.ts'
import { method } from '../method.ts'
import { address, blockParameter, optional, storageKey } from '../params.ts'

/** The 32 bytes at a slot (spec.md §4.2). */
export const eth_getStorageAt = method(
  [address, storageKey, optional(blockParameter)],
  async ({ sight }, account, key, block) => {
    const { state } = await sight.require(block)
    return bytesToHex(bigintToBytes32(readSlot(state, account, key)))
  },
)
