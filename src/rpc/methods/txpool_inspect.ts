import { poolSummary } from '../format/format.ts'
import { method } from '../method.ts'

/** Returns a one-line summary of each waiting transaction by sender and nonce. */
export const txpool_inspect = method([], ({ read }) => poolSummary(read.mempool.content()))
