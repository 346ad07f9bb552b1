/** Errors of accounts that send or sign. */
import { RpcError } from '../primitives/errors.ts'
import type { Address } from '../primitives/types.ts'

/**
 * The account is none the connection may use: it has no key here, is not impersonated, or was revoked (EIP-1193, code
 * 4100).
 */
export class UnknownAccountError extends RpcError {
  override name = 'UnknownAccountError'
  constructor(account: Address) {
    super(4100, `unknown account ${account}`)
  }
}
