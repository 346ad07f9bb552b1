import { quantity } from '../../primitives/bytes.ts'
import type { RpcCapabilities } from '../../primitives/rpcTypes.ts'
import { optional } from '../../primitives/schema.ts'
import { method } from '../method.ts'
import { address } from '../params/scalars.ts'
import { chainIds } from '../params/wallet.ts'
import { checkSender } from '../wallet/sendTransaction.ts'

/**
 * What batches of calls may ask for (EIP-5792), on this chain unless others alone are asked about.
 *
 * @throws UnknownAccountError for an account the connection may not use
 */
export const wallet_getCapabilities = method(
  [optional(address), optional(chainIds)],
  (context, account, asked): RpcCapabilities => {
    if (account !== undefined) checkSender(context, account)
    const { chainId } = context.read
    if (asked !== undefined && !asked.includes(chainId)) return {}
    return { [quantity(chainId)]: { atomic: { status: 'supported' } } }
  },
)
