import { method } from '../method.ts'

/** Returns the accounts that this connection may use: the chain's, or none if the permission was revoked (EIP-1193). */
export const eth_accounts = method([], ({ permissions }) => permissions.accounts())
