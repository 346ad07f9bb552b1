import { dropTransactions } from '../../cheats/pool.ts'
import { devNames } from '../devChain.ts'
import { method } from '../method.ts'
import { address } from '../params/scalars.ts'

/** Gives up everything of a sender that is not sealed. */
export const anvil_removePoolTransactions = method(
  [address],
  async ({ control }, sender) => {
    await dropTransactions(control.cheats, ({ from }) => from === sender)
    return null
  },
  { aliases: devNames('removePoolTransactions') },
)
