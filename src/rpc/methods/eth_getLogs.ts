import { method } from '../method.ts'
import { logFilter } from '../params/block.ts'
import { queryLogs } from '../queryLogs.ts'

/**
 * Returns the logs of one block or a range of blocks; on preconf a range may end in `pending` (spec.md §2.3).
 *
 * @throws UnknownBlockError, InvalidBlockRangeError, BlockRangeTooLargeError, TooManyLogsError, StateUnavailableError
 * @throws BlockHashWithRangeError, BlockRangeBeyondHeadError in the `geth` dialect
 */
export const eth_getLogs = method([logFilter], ({ viewed, read, dialect }, filter) =>
  queryLogs(filter, viewed, read, dialect),
)
