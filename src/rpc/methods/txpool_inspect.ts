import { poolSummary } from '../format/format.ts'
import { defineMethod } from '../method.ts'

/**
 * Returns a one-line summary of each waiting transaction by sender and nonce.
 *
 * @group Mempool
 */
export const txpool_inspect = defineMethod({
  class: 'debug',
  onFork: 'local',
  handler: ({ read }) => poolSummary(read.mempool.content()),
})
