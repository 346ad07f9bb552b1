import { quantity } from '../../primitives/bytes.ts'
import { InvalidParamsError } from '../../primitives/errors.ts'
import { method } from '../method.ts'
import { addedChain } from '../params/wallet.ts'

/**
 * Null for the chain this is, which is there already (EIP-3085).
 *
 * @throws InvalidParamsError for any other: there is none to be added
 */
export const wallet_addEthereumChain = method([addedChain], ({ services }, { chainId }) => {
  if (chainId !== services.chainId) {
    throw new InvalidParamsError('0.chainId', `${quantity(services.chainId)}, the only chain there is`)
  }
  return null
})
