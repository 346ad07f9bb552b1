import { poolTransactions } from '../format/txpool.ts'
import { method } from '../method.ts'

/** Everything that waits: what can be included next, then what waits for more. */
export const eth_pendingTransactions = method([], ({ read }) => poolTransactions(read.mempool.content()))
