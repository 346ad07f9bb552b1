import { addBalance } from '../../core/cheats/accounts.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { amount } from '../params/dev.ts'
import { address } from '../params/params.ts'

/** Adds an amount in wei to the balance of an account at the head. */
export const anvil_addBalance = changeMethod(
  [address, amount],
  async ({ control }, account, wei) => {
    await addBalance(control.cheats, account, wei)
    return true
  },
  { aliases: devNames('addBalance') },
)
