import { method } from '../method.ts'
import { logFilter } from '../params/logs.ts'
import { queryLogs } from '../queryLogs.ts'

/** The logs of a range of blocks or of one block; on preconf a range may end in `pending` (spec.md §2.3). */
export const eth_getLogs = method([logFilter], ({ viewed, read, dialect }, filter) =>
  queryLogs(filter, viewed, read, dialect),
)
