import { quantity } from '../../base/bytes.ts'
import type { RpcCapabilities } from '../../base/rpcTypes.ts'
import { optional } from '../../base/schema.ts'
import { defineMethod } from '../method.ts'
import { address } from '../params/params.ts'
import { chainIds } from '../params/wallet.ts'
import { checkSender } from '../wallet/sendTransaction.ts'

/**
 * Returns this chain's capabilities for batches of calls (EIP-5792), or none if the request names only other chains.
 *
 * @throws UnknownAccountError for an account that the connection cannot send from
 * @group Wallet
 */
export const wallet_getCapabilities = defineMethod({
  class: 'wallet',
  params: [optional(address), optional(chainIds)],
  handler: (context, account, requested): RpcCapabilities => {
    if (account !== undefined) checkSender(context, account)
    const { chainId } = context.read
    if (requested !== undefined && !requested.includes(chainId)) return {}
    return { [quantity(chainId)]: { atomic: { status: 'supported' } } }
  },
})
