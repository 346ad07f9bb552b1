import { bytesToHex } from '../../primitives/bytes.ts'
import { method } from '../method.ts'
import { hash32 } from '../params/scalars.ts'
import { findTransaction } from '../transactions.ts'

/** A transaction's bytes (EIP-2718); as go-ethereum `0x` if it is not known. */
export const debug_getRawTransaction = method([hash32], (context, hash) => {
  const found = findTransaction(context, hash)
  return found === undefined ? '0x' : bytesToHex(found.tx.raw)
})
