import { method } from '../method.ts'
import { address, data, optional, text } from '../params.ts'
import { signMessage } from '../signMessage.ts'

/**
 * Signs a message (EIP-191) with an account of the chain; a password after it is not looked at.
 *
 * @throws UnknownAccountError
 */
export const personal_sign = method([data, address, optional(text)], (context, message, account) =>
  signMessage(context, account, message),
)
