import { devNames, dropTransaction } from '../devChain.ts'
import { changeMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'

/** Drops a waiting or pre-confirmed transaction. @returns false if there is none with this hash. */
export const anvil_dropTransaction = changeMethod([hash32], dropTransaction, {
  aliases: devNames('dropTransaction', ['anvil', 'evm', 'ganache']),
})
