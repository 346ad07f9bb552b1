import { bytesToHex } from '../../base/bytes.ts'
import { method } from '../method.ts'
import { hash32 } from '../params/params.ts'
import { findTransaction } from '../transactions.ts'

/** Returns the encoding of a transaction (EIP-2718), or null if it is unknown. */
export const eth_getRawTransactionByHash = method([hash32], (context, hash) => {
  const found = findTransaction(context, hash)
  return found === undefined ? null : bytesToHex(found.tx.raw)
})
