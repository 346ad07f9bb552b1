import { fillTransaction } from '../fillTransaction.ts'
import { method } from '../method.ts'
import { callObject } from '../params/call.ts'

/**
 * Fills in the missing fields of a transaction, which is then ready to be signed; as in go-ethereum, but without
 * blobs (spec.md 35).
 *
 * @throws InvalidParamsError if the fields exclude each other
 * @throws as eth_estimateGas does, if the gas is missing
 */
export const eth_fillTransaction = method([callObject], fillTransaction)
