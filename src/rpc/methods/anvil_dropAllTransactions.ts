import { dropTransactions } from '../../core/cheats/blocks.ts'
import { defineCheat } from '../method.ts'

/**
 * Drops all transactions that are not sealed, pre-confirmed ones included.
 *
 * @group Dev chain: mempool and node
 */
export const anvil_dropAllTransactions = defineCheat('dropAllTransactions', {
  returns: null,
  handler: ({ control }) => dropTransactions(control.cheats, () => true),
})
