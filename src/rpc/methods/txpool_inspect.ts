import { poolSummary } from '../format/txpool.ts'
import { method } from '../method.ts'

/** Everything that waits, a line for each transaction, by sender and nonce. */
export const txpool_inspect = method([], ({ read }) => poolSummary(read.mempool.content()))
