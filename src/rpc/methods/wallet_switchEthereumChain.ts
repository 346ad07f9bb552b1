import { object } from '../../base/schema.ts'
import { method } from '../method.ts'
import { quantity } from '../params/params.ts'
import { UnrecognizedChainError } from '../wallet/errors.ts'

/** Returns null for this chain (EIP-3326). @throws UnrecognizedChainError for any other */
export const wallet_switchEthereumChain = method([object({ chainId: quantity })], ({ read }, { chainId }) => {
  if (chainId !== read.chainId) throw new UnrecognizedChainError(chainId)
  return null
})
