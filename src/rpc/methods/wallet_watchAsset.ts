import { bareMethod } from '../method.ts'
import { watchedAsset } from '../params/wallet.ts'
import { UnrecognizedChainError } from '../wallet/errors.ts'

/**
 * Returns true for any token of this chain (EIP-747): there is no user interface to show it.
 *
 * @throws UnrecognizedChainError for a token of another chain
 */
export const wallet_watchAsset = bareMethod(watchedAsset, ({ read }, { options }) => {
  const chainId = BigInt(options.chainId ?? read.chainId)
  if (chainId !== read.chainId) throw new UnrecognizedChainError(chainId)
  return true
})
