import { optional } from '../../primitives/schema.ts'
import { method } from '../method.ts'
import { address, data, text } from '../params/scalars.ts'
import { signMessage } from '../wallet/signMessage.ts'

/**
 * Signs a message (EIP-191) with an account of the chain; a password after it is not looked at.
 *
 * @throws UnknownAccountError
 */
export const personal_sign = method([data, address, optional(text)], (context, message, account) =>
  signMessage(context, account, message),
)
