import { quantity } from '../../base/bytes.ts'
import { InvalidParamsError } from '../../base/errors.ts'
import { method } from '../method.ts'
import { addedChain } from '../params/wallet.ts'

/**
 * Returns null for this chain, which does not have to be added (EIP-3085).
 *
 * @throws InvalidParamsError for any other chain
 */
export const wallet_addEthereumChain = method([addedChain], ({ read }, { chainId }) => {
  if (chainId !== read.chainId) {
    throw new InvalidParamsError('0.chainId', `this chain's id (${quantity(read.chainId)})`)
  }
  return null
})
