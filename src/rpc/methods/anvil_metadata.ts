import { devNames, metadata } from '../devChain.ts'
import { method } from '../method.ts'

/** Returns the client version, chain id, instance id and head; `forkedNetwork` is null. */
export const anvil_metadata = method([], (context) => ({ ...metadata(context), forkedNetwork: null }), {
  aliases: devNames('metadata', ['anvil', 'evm', 'ganache']),
})
