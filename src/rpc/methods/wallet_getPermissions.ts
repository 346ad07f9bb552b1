import { method } from '../method.ts'

/** Returns the permissions of this connection (EIP-2255): the use of the chain's accounts, unless it was revoked. */
export const wallet_getPermissions = method([], ({ permissions }) => permissions.list())
