import { method } from '../method.ts'
import { permissionRequest } from '../params/wallet.ts'

/** Grants this connection the use of the chain's accounts, without a prompt, and returns its permissions (EIP-2255). */
export const wallet_requestPermissions = method([permissionRequest], ({ permissions }) => {
  permissions.grant()
  return permissions.list()
})
