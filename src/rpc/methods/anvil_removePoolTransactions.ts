import { dropTransactions } from '../../core/cheats/blocks.ts'
import { defineCheat } from '../method.ts'
import { address } from '../params/params.ts'

/**
 * Drops all transactions of a sender that are not sealed, pre-confirmed ones included.
 *
 * @group Dev chain: mempool and node
 * @example ["$carol"]
 */
export const anvil_removePoolTransactions = defineCheat('removePoolTransactions', {
  params: [address],
  returns: null,
  handler: ({ control }, sender) => dropTransactions(control.cheats, ({ from }) => from === sender),
})
