import { forkedNetwork, metadata } from '../devChain.ts'
import { defineMethod } from '../method.ts'

/**
 * Like anvil_metadata, but without `forkedNetwork` if the chain is not a fork: Hardhat's clients treat null as a fork.
 *
 * @group Dev chain: mempool and node
 */
export const hardhat_metadata = defineMethod({
  class: 'cheat',
  handler: (context) => {
    const forked = forkedNetwork(context)
    return { ...metadata(context), ...(forked && { forkedNetwork: forked }) }
  },
})
