import { poolBy, toRpcTransaction } from '../format/format.ts'
import { defineMethod } from '../method.ts'

/**
 * Returns the waiting transactions by sender and nonce, with executable and queued ones in separate objects.
 *
 * @group Mempool
 */
export const txpool_content = defineMethod({
  class: 'debug',
  onFork: 'local',
  handler: ({ read }) => poolBy(read.mempool.content(), toRpcTransaction),
})
