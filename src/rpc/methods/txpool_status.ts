import { quantity } from '../../base/bytes.ts'
import { defineMethod } from '../method.ts'

/**
 * Returns the numbers of executable and queued transactions. A transaction is queued if it is behind a nonce gap or its
 * fee cap is below the base fee.
 *
 * @group Mempool
 */
export const txpool_status = defineMethod({
  class: 'debug',
  onFork: 'local',
  handler: ({ read }) => {
    const { pending, queued } = read.mempool.status()
    return { pending: quantity(pending), queued: quantity(queued) }
  },
})
