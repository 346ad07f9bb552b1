import { otterscanMethod } from '../otterscan/load.ts'
import { address, count } from '../params/params.ts'

/** Returns the hash of the transaction of a sender with this nonce, within the history; null if no block has one. */
export const ots_getTransactionBySenderAndNonce = otterscanMethod(
  [address, count],
  ({ hashByNonce }) => hashByNonce,
)
