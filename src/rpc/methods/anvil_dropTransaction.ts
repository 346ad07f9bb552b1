import { devNames, dropTransaction } from '../devChain.ts'
import { method } from '../method.ts'
import { hash32 } from '../params/scalars.ts'

/** Gives up a transaction that waits or is pre-confirmed. @returns whether there was one. */
export const anvil_dropTransaction = method([hash32], dropTransaction, {
  aliases: devNames('dropTransaction', ['anvil', 'evm', 'ganache']),
})
