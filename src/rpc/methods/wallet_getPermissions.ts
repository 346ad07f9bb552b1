import { defineMethod } from '../method.ts'

/**
 * Returns the permissions of this connection (EIP-2255): the use of the chain's accounts, unless it was revoked.
 *
 * @group Wallet
 */
export const wallet_getPermissions = defineMethod({
  class: 'wallet',
  handler: ({ permissions }) => permissions.list(),
})
