import { defineMethod } from '../method.ts'
import { permissionRequest } from '../params/wallet.ts'

/**
 * Revokes this connection's permission to use the chain's accounts. Other connections keep it (MIP-2).
 *
 * @group Wallet
 * @example [{ "eth_accounts": {} }]
 */
export const wallet_revokePermissions = defineMethod({
  class: 'wallet',
  params: [permissionRequest],
  returns: null,
  handler: ({ permissions }) => permissions.revoke(),
})
