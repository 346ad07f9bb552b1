import { patchAccount } from '../../core/cheats/accounts.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { address, storageKey } from '../params/params.ts'

/** Sets a storage slot of an account at the head. */
export const anvil_setStorageAt = changeMethod(
  [address, storageKey, storageKey],
  async ({ control }, account, slot, value) => {
    await patchAccount(control.cheats, account, () => ({ stateDiff: new Map([[slot, value]]) }))
    return true
  },
  { aliases: [...devNames('setStorageAt'), 'evm_setAccountStorageAt'] },
)
