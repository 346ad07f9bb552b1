import { defineMethod } from '../method.ts'
import { permissionRequest } from '../params/wallet.ts'

/**
 * Revokes this connection's use of the chain's accounts; other connections keep theirs (MIP-2).
 *
 * @group Wallet
 * @example [{ "eth_accounts": {} }]
 */
export const wallet_revokePermissions = defineMethod({
  class: 'wallet',
  params: [permissionRequest],
  handler: ({ permissions }) => {
    permissions.revoke()
    return null
  },
})
