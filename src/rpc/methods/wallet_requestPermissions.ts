import { method } from '../method.ts'
import { permissionRequest } from '../params/wallet.ts'

/** Permits the use of the chain's accounts to this connection (EIP-2255), without asking a user. */
export const wallet_requestPermissions = method([permissionRequest], ({ permissions }) => {
  permissions.grant()
  return permissions.list()
})
