import { dropTransactions } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { defineMethod } from '../method.ts'
import { address } from '../params/params.ts'

/**
 * Drops all transactions of a sender that are not sealed, pre-confirmed ones included.
 *
 * @group Dev chain: mempool and node
 * @example ["$carol"]
 */
export const anvil_removePoolTransactions = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: devNames('removePoolTransactions'),
  params: [address],
  handler: async ({ control }, sender) => {
    await dropTransactions(control.cheats, ({ from }) => from === sender)
    return null
  },
})
