import { bytesToHex } from '../../base/bytes.ts'
import { defineMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'
import { findTransaction } from '../transactions.ts'

/**
 * Returns the encoding of a transaction (EIP-2718), or `0x` if it is unknown, as in go-ethereum.
 *
 * @group Transactions
 * @example ["$transaction"]
 */
export const debug_getRawTransaction = defineMethod({
  class: 'debug',
  onFork: { reads: 'transaction', answer: 'bytes' },
  params: [hash32],
  handler: (context, hash) => {
    const found = findTransaction(context, hash)
    return found === undefined ? '0x' : bytesToHex(found.tx.raw)
  },
})
