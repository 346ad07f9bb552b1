import { defineMethod } from '../method.ts'
import { permissionRequest } from '../params/wallet.ts'

/**
 * Grants this connection the use of the chain's accounts, without a prompt, and returns its permissions (EIP-2255).
 *
 * @group Wallet
 * @example [{ "eth_accounts": {} }]
 */
export const wallet_requestPermissions = defineMethod({
  class: 'wallet',
  params: [permissionRequest],
  handler: ({ permissions }) => {
    permissions.grant()
    return permissions.list()
  },
})
