import { otterscanMethod } from '../otterscan/load.ts'
import { address, count, pageSize } from '../params/params.ts'

/**
 * Returns the newest transactions of an address before a block, or with 0 of all: those that it sent or received, and those that
 * called it, or that it called, in some frame. A page has all of its last block; on a fork, only transactions after the fork are found.
 *
 * @throws TraceTooLargeError
 */
export const ots_searchTransactionsBefore = otterscanMethod(
  [address, count, pageSize],
  ({ searchBefore }) => searchBefore,
)
