import { forkedNetwork, metadata } from '../devChain.ts'
import { defineMethod, devNames } from '../method.ts'

/**
 * Returns the client version, chain id, instance id and head; `forkedNetwork` is null unless the chain is a fork.
 *
 * @group Dev chain: mempool and node
 */
export const anvil_metadata = defineMethod({
  class: 'cheat',
  aliases: devNames('metadata', ['anvil', 'evm', 'ganache']),
  handler: (context) => ({ ...metadata(context), forkedNetwork: forkedNetwork(context) ?? null }),
})
