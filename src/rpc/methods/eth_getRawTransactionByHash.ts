import { bytesToHex } from '../../base/bytes.ts'
import { defineMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'
import { findTransaction } from '../transactions.ts'

/**
 * Returns the encoding of a transaction (EIP-2718), or null if it is unknown.
 *
 * @group Transactions
 * @example ["$transaction"]
 */
export const eth_getRawTransactionByHash = defineMethod({
  class: 'node',
  onFork: { reads: 'transaction', answer: 'bytesOrNull' },
  params: [hash32],
  handler: (context, hash) => {
    const found = findTransaction(context, hash)
    return found === undefined ? null : bytesToHex(found.tx.raw)
  },
})
