import { defineMethod } from '../method.ts'

/**
 * Returns the chain's accounts, or none if this connection's permission was revoked (EIP-1193).
 *
 * @group Accounts and signing
 */
export const eth_accounts = defineMethod({
  class: 'wallet',
  handler: ({ permissions }) => permissions.accounts(),
})
