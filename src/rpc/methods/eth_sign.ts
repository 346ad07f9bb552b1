import { defineMethod } from '../method.ts'
import { address, data } from '../params/params.ts'
import { signMessage } from '../wallet/sendTransaction.ts'

/**
 * Signs a message with an account of the chain (EIP-191). Parameters: account, message (personal_sign takes them in
 * reverse order).
 *
 * @throws UnknownAccountError
 * @group Accounts and signing
 * @example ["$alice", "0x1234"]
 */
export const eth_sign = defineMethod({
  class: 'wallet',
  params: [address, data],
  handler: signMessage,
})
