import { optional } from '../../base/schema.ts'
import { defineMethod } from '../method.ts'
import { address, data, text } from '../params/params.ts'
import { signMessage } from '../wallet/sendTransaction.ts'

/**
 * Signs a message with an account of the chain (EIP-191). Parameters: message, account, password (ignored).
 *
 * @throws UnknownAccountError
 * @group Accounts and signing
 * @example ["0x1234", "$alice"]
 */
export const personal_sign = defineMethod({
  class: 'wallet',
  params: [data, address, optional(text)],
  handler: (context, message, account) => signMessage(context, account, message),
})
