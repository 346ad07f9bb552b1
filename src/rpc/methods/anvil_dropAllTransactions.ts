import { dropTransactions } from '../../core/cheats/blocks.ts'
import { devNames } from '../devChain.ts'
import { defineMethod } from '../method.ts'

/**
 * Drops all transactions that are not sealed, pre-confirmed ones included.
 *
 * @group Dev chain: mempool and node
 */
export const anvil_dropAllTransactions = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: devNames('dropAllTransactions'),
  handler: async ({ control }) => {
    await dropTransactions(control.cheats, () => true)
    return null
  },
})
