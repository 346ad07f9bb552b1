import { dropTransaction } from '../devChain.ts'
import { TransactionSealedError } from '../errors.ts'
import { defineMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'

/**
 * Drops a transaction as anvil_dropTransaction does, but fails for a sealed one, as Hardhat does.
 *
 * @throws TransactionSealedError
 * @group Dev chain: mempool and node
 * @example ["$waiting"]
 */
export const hardhat_dropTransaction = defineMethod({
  class: 'cheat',
  turn: 'change',
  params: [hash32],
  handler: async (context, hash) => {
    if (context.viewed.findTransaction(hash)?.sealed === true) throw new TransactionSealedError(hash)
    return dropTransaction(context, hash)
  },
})
