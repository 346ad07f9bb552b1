import { object } from '../../base/schema.ts'
import { defineMethod } from '../method.ts'
import { quantity } from '../params/params.ts'
import { UnrecognizedChainError } from '../wallet/errors.ts'

/**
 * Returns null for this chain (EIP-3326).
 *
 * @throws UnrecognizedChainError for any other chain
 * @group Wallet
 * @example [{ "chainId": "0x7a69" }]
 */
export const wallet_switchEthereumChain = defineMethod({
  class: 'wallet',
  params: [object({ chainId: quantity })],
  handler: ({ read }, { chainId }) => {
    if (chainId !== read.chainId) throw new UnrecognizedChainError(chainId)
    return null
  },
})
