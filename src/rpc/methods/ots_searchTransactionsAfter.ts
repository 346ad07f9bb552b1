import { otterscanMethod } from '../otterscan/load.ts'
import { address, count, pageSize } from '../params/params.ts'

/**
 * Returns the oldest transactions of an address after a block, or with 0 of all, the newest first; see
 * ots_searchTransactionsBefore.
 *
 * @throws TraceTooLargeError
 */
export const ots_searchTransactionsAfter = otterscanMethod(
  [address, count, pageSize],
  ({ searchAfter }) => searchAfter,
)
