import { poolContentFrom } from '../format/format.ts'
import { defineMethod } from '../method.ts'
import { address } from '../params/params.ts'

/**
 * Returns the waiting transactions of a sender by nonce, with executable and queued ones in separate objects.
 *
 * @group Mempool
 * @example ["$alice"]
 */
export const txpool_contentFrom = defineMethod({
  class: 'debug',
  onFork: 'local',
  params: [address],
  handler: ({ read }, sender) => poolContentFrom(read.mempool.content(), sender),
})
