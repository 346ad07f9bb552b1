import { method } from '../method.ts'
import { address, data } from '../params/params.ts'
import { signMessage } from '../wallet/sendTransaction.ts'

/**
 * Signs a message with an account of the chain (EIP-191). The parameters are those of personal_sign in reverse
 * order: account, message.
 *
 * @throws UnknownAccountError
 */
export const eth_sign = method([address, data], signMessage)
