import { quantity } from '../../base/bytes.ts'
import { InvalidParamsError } from '../../base/errors.ts'
import { defineMethod } from '../method.ts'
import { addedChain } from '../params/wallet.ts'

/**
 * Returns null for this chain, which is always known (EIP-3085).
 *
 * @throws InvalidParamsError for any other chain
 * @group Wallet
 * @example [{ "chainId": "0x7a69", "chainName": "preseal", "rpcUrls": ["http://127.0.0.1:8545"] }]
 */
export const wallet_addEthereumChain = defineMethod({
  class: 'wallet',
  params: [addedChain],
  handler: ({ read }, { chainId }) => {
    if (chainId !== read.chainId) {
      throw new InvalidParamsError('0.chainId', `this chain's id (${quantity(read.chainId)})`)
    }
    return null
  },
})
