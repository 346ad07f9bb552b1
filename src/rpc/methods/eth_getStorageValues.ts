import { bigintToBytes32, bytesToHex } from '../../base/bytes.ts'
import { InvalidParamsError } from '../../base/errors.ts'
import { optional } from '../../base/schema.ts'
import type { Address, Hex } from '../../base/types.ts'
import { readSlot } from '../../ethereum/state/account.ts'
import { SlotLimitError } from '../errors.ts'
import { defineMethod } from '../method.ts'
import { blockParameter } from '../params/block.ts'
import { storageRequests } from '../params/params.ts'

/** Maximum number of slots per request, as in go-ethereum. */
export const MAX_SLOTS = 1024

/**
 * Returns the 32-byte values of several storage slots, by account.
 *
 * @throws InvalidParamsError if no slot is named
 * @throws SlotLimitError, HeaderNotFoundError, StateUnavailableError
 * @group State and calls
 * @example [{ "$probe": ["0x7"], "$token": ["0x0", "$unknown"] }, "latest"]
 */
export const eth_getStorageValues = defineMethod({
  class: 'node',
  onFork: { reads: 'state', answer: 'reader' },
  params: [storageRequests, optional(blockParameter)],
  handler: async ({ viewed }, requests, reference): Promise<Readonly<Record<Address, readonly Hex[]>>> => {
    let slots = 0
    for (const keys of requests.values()) slots += keys.length
    if (slots === 0) throw new InvalidParamsError(0, 'at least one slot')
    if (slots > MAX_SLOTS) throw new SlotLimitError(MAX_SLOTS)
    const { state } = await viewed.require(reference)
    const read = (account: Address, keys: readonly Hex[]) =>
      keys.map((key) => bytesToHex(bigintToBytes32(readSlot(state, account, key))))
    return Object.fromEntries([...requests].map(([account, keys]) => [account, read(account, keys)]))
  },
})
