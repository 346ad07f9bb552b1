import { poolTransactions } from '../format/format.ts'
import { defineMethod } from '../method.ts'

/**
 * Returns the waiting transactions, executable ones before queued ones.
 *
 * @group Mempool
 */
export const eth_pendingTransactions = defineMethod({
  class: 'debug',
  onFork: 'local',
  handler: ({ read }) => poolTransactions(read.mempool.content()),
})
