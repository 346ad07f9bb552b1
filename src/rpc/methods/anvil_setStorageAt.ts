import { patchAccount } from '../../core/cheats/accounts.ts'
import { defineCheat } from '../method.ts'
import { address, storageKey } from '../params/params.ts'

/**
 * Sets a storage slot of an account at the head.
 *
 * @group Dev chain: accounts and state
 * @example ["$nobody", "0x1", "0x2"]
 */
export const anvil_setStorageAt = defineCheat('setStorageAt', {
  aliases: ['evm_setAccountStorageAt'],
  params: [address, storageKey, storageKey],
  returns: true,
  handler: ({ control }, account, slot, value) =>
    patchAccount(control.cheats, account, () => ({ stateDiff: new Map([[slot, value]]) })),
})
