import { defineMethod } from '../method.ts'
import { logFilter } from '../params/block.ts'
import { queryLogs } from '../queryLogs.ts'

/**
 * Returns the logs of a block or a range of blocks (spec.md §2.3). On preconf, a range may end in `pending`.
 *
 * @throws UnknownBlockError, InvalidBlockRangeError, BlockRangeTooLargeError, TooManyLogsError, StateUnavailableError
 * @throws BlockHashWithRangeError, BlockRangeBeyondHeadError in the `geth` dialect
 * @group Logs, filters and subscriptions
 * @views sealed logs | a range may end in `pending`
 * @example [{ "fromBlock": "0x0", "toBlock": "pending" }]
 */
export const eth_getLogs = defineMethod({
  class: 'node',
  onFork: { reads: 'range', answer: 'reader' },
  params: [logFilter],
  handler: ({ viewed, read, dialect }, filter) => queryLogs(filter, viewed, read, dialect),
})
