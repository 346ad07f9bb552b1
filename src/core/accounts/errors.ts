/** Errors of accounts that send or sign. */
import { PresealRpcError } from '../../base/errors.ts'
import type { Address } from '../../base/types.ts'

/**
 * The connection may not use the account (EIP-1193, code 4100): its permission was revoked, or the account has no key.
 * An impersonated account may send without a key.
 */
export class UnknownAccountError extends PresealRpcError {
  override name = 'UnknownAccountError'
  readonly account: Address
  constructor(account: Address) {
    super(4100, `unknown account ${account}`)
    this.account = account
  }
}
