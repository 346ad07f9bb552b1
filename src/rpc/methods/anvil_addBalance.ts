import { addBalance } from '../../cheats/accounts.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { amount } from '../params/dev.ts'
import { address } from '../params/scalars.ts'

/** Adds to a balance. */
export const anvil_addBalance = method(
  [address, amount],
  async ({ control }, of, wei) => {
    await addBalance(control.cheats, of, wei)
    return true
  },
  { aliases: devNames('addBalance') },
)
