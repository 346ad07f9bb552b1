import { devNames, forkedNetwork, metadata } from '../devChain.ts'
import { method } from '../method.ts'

/** Returns the client version, chain id, instance id and head; `forkedNetwork` is null unless the chain is a fork. */
export const anvil_metadata = method(
  [],
  (context) => ({ ...metadata(context), forkedNetwork: forkedNetwork(context) ?? null }),
  { aliases: devNames('metadata', ['anvil', 'evm', 'ganache']) },
)
