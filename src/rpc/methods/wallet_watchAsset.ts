import { bareMethod } from '../method.ts'
import { watchedAsset } from '../params/wallet.ts'
import { UnrecognizedChainError } from '../wallet/errors.ts'

/**
 * True for any token (EIP-747): there is no user to show it to.
 *
 * @throws UnrecognizedChainError for one of another chain
 */
export const wallet_watchAsset = bareMethod(watchedAsset, ({ read }, { options }) => {
  const chainId = BigInt(options.chainId ?? read.chainId)
  if (chainId !== read.chainId) throw new UnrecognizedChainError(chainId)
  return true
})
