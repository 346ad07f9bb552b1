import { devNames, metadata } from '../devChain.ts'
import { method } from '../method.ts'

/** What the chain is, and where it stands. */
export const anvil_metadata = method([], (context) => ({ ...metadata(context), forkedNetwork: null }), {
  aliases: devNames('metadata', ['anvil', 'evm', 'ganache']),
})
