import { dropTransactions } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'

/** Drops all transactions that are not sealed, pre-confirmed ones included. */
export const anvil_dropAllTransactions = changeMethod(
  [],
  async ({ control }) => {
    await dropTransactions(control.cheats, () => true)
    return null
  },
  { aliases: devNames('dropAllTransactions') },
)
