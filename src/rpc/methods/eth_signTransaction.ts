import { bytesToHex } from '../../primitives/bytes.ts'
import { method } from '../method.ts'
import { transactionRequest } from '../params/call.ts'
import { signTransaction } from '../wallet/sendTransaction.ts'

/**
 * Signs with an account of the chain, what is left out filled in as by eth_sendTransaction, and gives the bytes to be
 * sent.
 *
 * @throws UnknownAccountError, InvalidParamsError, whatever an estimate throws
 */
export const eth_signTransaction = method([transactionRequest], async (context, request) => {
  const { raw } = await signTransaction(context, request)
  return bytesToHex(raw)
})
