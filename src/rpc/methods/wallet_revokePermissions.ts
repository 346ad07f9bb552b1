import { method } from '../method.ts'
import { permissionRequest } from '../params/wallet.ts'

/** Takes the use of the chain's accounts away from this connection, and from no other (MIP-2). */
export const wallet_revokePermissions = method([permissionRequest], ({ permissions }) => {
  permissions.revoke()
  return null
})
