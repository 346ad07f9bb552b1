/** Errors of accounts that send or sign. */
import { PresealRpcError } from '../primitives/errors.ts'
import type { Address } from '../primitives/types.ts'

/**
 * The connection may not use the account: the account has no key and is not impersonated, or the connection's
 * permission was revoked (EIP-1193, code 4100).
 */
export class UnknownAccountError extends PresealRpcError {
  override name = 'UnknownAccountError'
  constructor(account: Address) {
    super(4100, `unknown account ${account}`)
  }
}
