import { bytesToHex } from '../../base/bytes.ts'
import { method } from '../method.ts'
import { transactionRequest } from '../params/call.ts'
import { signTransaction } from '../wallet/sendTransaction.ts'

/**
 * Signs a transaction with an account of the chain and returns its encoding; missing fields are filled in as by
 * eth_sendTransaction.
 *
 * @throws UnknownAccountError
 * @throws as eth_fillTransaction does
 */
export const eth_signTransaction = method([transactionRequest], async (context, request) => {
  const { raw } = await signTransaction(context, request)
  return bytesToHex(raw)
})
