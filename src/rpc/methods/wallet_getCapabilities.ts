import { quantity } from '../../bytes.ts'
import type { RpcCapabilities } from '../../types.ts'
import { method } from '../method.ts'
import { address, chainIds, optional } from '../params.ts'
import { checkSender } from '../sendTransaction.ts'

/**
 * What batches of calls may ask for (EIP-5792), on this chain unless others alone are asked about.
 *
 * @throws UnknownAccountError for an account the connection may not use
 */
export const wallet_getCapabilities = method(
  [optional(address), optional(chainIds)],
  (context, account, asked): RpcCapabilities => {
    if (account !== undefined) checkSender(context, account)
    const { chainId } = context.services
    if (asked !== undefined && !asked.includes(chainId)) return {}
    return { [quantity(chainId)]: { atomic: { status: 'supported' } } }
  },
)
