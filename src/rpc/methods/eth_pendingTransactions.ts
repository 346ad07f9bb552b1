import { poolTransactions } from '../format/format.ts'
import { method } from '../method.ts'

/** Returns the waiting transactions: the executable ones, then the queued ones. */
export const eth_pendingTransactions = method([], ({ read }) => poolTransactions(read.mempool.content()))
