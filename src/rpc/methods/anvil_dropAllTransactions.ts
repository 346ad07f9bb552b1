import { dropTransactions } from '../../cheats/pool.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'

/** Drops all transactions that are not sealed, pre-confirmed ones included. */
export const anvil_dropAllTransactions = method(
  [],
  async ({ control }) => {
    await dropTransactions(control.cheats, () => true)
    return null
  },
  { aliases: devNames('dropAllTransactions') },
)
