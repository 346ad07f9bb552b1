import { dropTransactions } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { address } from '../params/params.ts'

/** Drops all transactions of a sender that are not sealed, pre-confirmed ones included. */
export const anvil_removePoolTransactions = changeMethod(
  [address],
  async ({ control }, sender) => {
    await dropTransactions(control.cheats, ({ from }) => from === sender)
    return null
  },
  { aliases: devNames('removePoolTransactions') },
)
