import { dropTransaction } from '../devChain.ts'
import { defineMethod, devNames } from '../method.ts'
import { hash32 } from '../params/params.ts'

/**
 * Drops a waiting or pre-confirmed transaction.
 *
 * @returns false if there is none with this hash.
 * @group Dev chain: mempool and node
 * @example ["$transaction"]
 */
export const anvil_dropTransaction = defineMethod({
  class: 'cheat',
  turn: 'change',
  aliases: devNames('dropTransaction', ['anvil', 'evm', 'ganache']),
  params: [hash32],
  handler: dropTransaction,
})
