import { method } from '../method.ts'
import { permissionRequest } from '../params/wallet.ts'

/** Revokes this connection's use of the chain's accounts; other connections keep theirs (MIP-2). */
export const wallet_revokePermissions = method([permissionRequest], ({ permissions }) => {
  permissions.revoke()
  return null
})
