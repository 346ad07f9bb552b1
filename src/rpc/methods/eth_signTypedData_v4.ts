import { defineMethod } from '../method.ts'
import { address } from '../params/params.ts'
import { typedData } from '../params/wallet.ts'
import { checkPermitted } from '../wallet/sendTransaction.ts'

/**
 * Signs typed data (EIP-712), an object or its JSON, with an account of the chain.
 *
 * @throws UnknownAccountError, InvalidTypedDataError
 * @group Accounts and signing
 * @example ["$alice", { "types": { "Vote": [{ "name": "yes", "type": "bool" }] }, "primaryType": "Vote", "domain": { "name": "votes" },
 *   "message": { "yes": true } }]
 */
export const eth_signTypedData_v4 = defineMethod({
  class: 'wallet',
  params: [address, typedData],
  handler: (context, account, typed) => {
    checkPermitted(context, account)
    return context.send.signers.signTypedData(account, typed)
  },
})
