/** Signs messages as wallets do. */
import type { Address, Hex } from '../../base/types.ts'
import type { RpcContext } from '../method.ts'
import { checkPermitted } from './sendTransaction.ts'

/** Signs a message with an account of the chain (EIP-191). @throws UnknownAccountError */
export async function signMessage(
  context: Pick<RpcContext, 'send' | 'permissions'>,
  account: Address,
  message: Uint8Array,
): Promise<Hex> {
  checkPermitted(context, account)
  const { signers } = context.send
  return signers.signMessage(account, message)
}
