import { patchAccount } from '../../cheats/accounts.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { address, storageKey } from '../params/scalars.ts'

/** Sets a storage slot of an account at the head. */
export const anvil_setStorageAt = method(
  [address, storageKey, storageKey],
  async ({ control }, account, slot, value) => {
    await patchAccount(control.cheats, account, () => ({ stateDiff: new Map([[slot, value]]) }))
    return true
  },
  { aliases: [...devNames('setStorageAt'), 'evm_setAccountStorageAt'] },
)
