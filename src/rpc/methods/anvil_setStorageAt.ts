import { patchAccount } from '../../core/cheats/accounts.ts'
import { defineMethod, devNames } from '../method.ts'
import { address, storageKey } from '../params/params.ts'

/**
 * Sets a storage slot of an account at the head.
 *
 * @group Dev chain: accounts and state
 * @example ["$nobody", "0x1", "0x2"]
 */
export const anvil_setStorageAt = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: [...devNames('setStorageAt'), 'evm_setAccountStorageAt'],
  params: [address, storageKey, storageKey],
  returns: true,
  handler: ({ control }, account, slot, value) =>
    patchAccount(control.cheats, account, () => ({ stateDiff: new Map([[slot, value]]) })),
})
