import { fillTransaction } from '../fillTransaction.ts'
import { method } from '../method.ts'
import { callObject } from '../params/call.ts'

/**
 * A transaction with what it leaves out filled in, ready to be signed; as in go-ethereum, without blobs.
 *
 * @throws InvalidParamsError if its fields do not go together, and whatever an estimate throws
 */
export const eth_fillTransaction = method([callObject], fillTransaction)
