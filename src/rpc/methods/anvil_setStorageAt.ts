import { patchAccount } from '../../cheats/accounts.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { address, storageKey } from '../params/scalars.ts'

/** Sets a storage slot. */
export const anvil_setStorageAt = method(
  [address, storageKey, storageKey],
  async ({ control }, of, slot, value) => {
    await patchAccount(control.cheats, of, () => ({ stateDiff: new Map([[slot, value]]) }))
    return true
  },
  { aliases: [...devNames('setStorageAt'), 'evm_setAccountStorageAt'] },
)
