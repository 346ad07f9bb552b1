import { dropTransactions } from '../../core/cheats/blocks.ts'
import { defineMethod, devNames } from '../method.ts'

/**
 * Drops all transactions that are not sealed, pre-confirmed ones included.
 *
 * @group Dev chain: mempool and node
 */
export const anvil_dropAllTransactions = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: devNames('dropAllTransactions'),
  returns: null,
  handler: ({ control }) => dropTransactions(control.cheats, () => true),
})
