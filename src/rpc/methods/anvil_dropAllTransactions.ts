import { dropTransactions } from '../../cheats/pool.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'

/** Gives up everything that is not sealed. */
export const anvil_dropAllTransactions = method(
  [],
  async ({ control }) => {
    await dropTransactions(control.cheats, () => true)
    return null
  },
  { aliases: devNames('dropAllTransactions') },
)
