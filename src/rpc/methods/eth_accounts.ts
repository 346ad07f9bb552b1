import { method } from '../method.ts'

/** The accounts this connection may use: the chain's, unless their use was revoked (EIP-1193). */
export const eth_accounts = method([], ({ permissions }) => permissions.accounts())
