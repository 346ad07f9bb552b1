/** Errors of accounts that send or sign. */
import { PresealRpcError } from '../../base/errors.ts'
import type { Address } from '../../base/types.ts'

/**
 * The connection may not use the account (EIP-1193, code 4100). The account has no key and, to send, is not impersonated
 * either, or the connection's permission was revoked.
 */
export class UnknownAccountError extends PresealRpcError {
  override name = 'UnknownAccountError'
  readonly account: Address
  constructor(account: Address) {
    super(4100, `unknown account ${account}`)
    this.account = account
  }
}
