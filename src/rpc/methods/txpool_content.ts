import { poolContent } from '../format/format.ts'
import { method } from '../method.ts'

/** Returns the waiting transactions by sender and nonce, with executable and queued ones separate. */
export const txpool_content = method([], ({ read }) => poolContent(read.mempool.content()))
