import { method } from '../method.ts'

/** Grants this connection the use of the chain's accounts if it was revoked, and returns them (EIP-1102). */
export const eth_requestAccounts = method([], ({ permissions }) => {
  permissions.grant()
  return permissions.accounts()
})
