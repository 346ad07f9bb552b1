import { forkedNetwork, metadata } from '../devChain.ts'
import { method } from '../method.ts'

/** Like anvil_metadata, but without `forkedNetwork` if the chain is no fork: Hardhat's clients treat null as one. */
export const hardhat_metadata = method([], (context) => {
  const forked = forkedNetwork(context)
  return { ...metadata(context), ...(forked && { forkedNetwork: forked }) }
})
