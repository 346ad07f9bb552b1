import { method } from '../method.ts'

/** The chain's accounts; where their use was revoked it is granted again (EIP-1102). */
export const eth_requestAccounts = method([], ({ permissions }) => {
  permissions.grant()
  return permissions.accounts()
})
