import { method } from '../method.ts'

/** What this connection is permitted (EIP-2255): the use of the chain's accounts, unless it was revoked. */
export const wallet_getPermissions = method([], ({ permissions }) => permissions.list())
