import { defineMethod } from '../method.ts'

/**
 * Grants this connection the chain's accounts again if the permission was revoked, and returns them (EIP-1102).
 *
 * @group Accounts and signing
 */
export const eth_requestAccounts = defineMethod({
  class: 'wallet',
  handler: ({ permissions }) => {
    permissions.grant()
    return permissions.accounts()
  },
})
