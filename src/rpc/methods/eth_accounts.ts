import { defineMethod } from '../method.ts'

/**
 * Returns the accounts that this connection may use: the chain's, or none if the permission was revoked (EIP-1193).
 *
 * @group Accounts and signing
 */
export const eth_accounts = defineMethod({
  class: 'wallet',
  handler: ({ permissions }) => permissions.accounts(),
})
