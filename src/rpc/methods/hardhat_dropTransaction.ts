import { dropTransaction } from '../devChain.ts'
import { TransactionSealedError } from '../errors.ts'
import { changeMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'

/**
 * Drops a transaction as anvil_dropTransaction does, but fails for a sealed one, as Hardhat does.
 *
 * @throws TransactionSealedError
 */
export const hardhat_dropTransaction = changeMethod([hash32], async (context, hash) => {
  if (context.viewed.findTransaction(hash)?.sealed === true) throw new TransactionSealedError(hash)
  return dropTransaction(context, hash)
})
