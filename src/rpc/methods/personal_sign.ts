import { optional } from '../../base/schema.ts'
import { method } from '../method.ts'
import { address, data, text } from '../params/params.ts'
import { signMessage } from '../wallet/sendTransaction.ts'

/**
 * Signs a message with an account of the chain (EIP-191). Parameters: message, account, password, which is ignored.
 *
 * @throws UnknownAccountError
 */
export const personal_sign = method([data, address, optional(text)], (context, message, account) =>
  signMessage(context, account, message),
)
