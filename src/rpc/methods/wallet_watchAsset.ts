import { defineMethod } from '../method.ts'
import { watchedAsset } from '../params/wallet.ts'
import { UnrecognizedChainError } from '../wallet/errors.ts'

/**
 * Returns true for any token of this chain (EIP-747): there is no user interface to show it.
 *
 * @throws UnrecognizedChainError for a token of another chain
 * @group Wallet
 * @example [{ "type": "ERC20", "options": { "address": "$token", "symbol": "TKN", "decimals": 18 } }]
 */
export const wallet_watchAsset = defineMethod({
  class: 'wallet',
  bare: true,
  params: [watchedAsset],
  handler: ({ read }, { options }) => {
    const chainId = BigInt(options.chainId ?? read.chainId)
    if (chainId !== read.chainId) throw new UnrecognizedChainError(chainId)
    return true
  },
})
