import { quantity } from '../../base/bytes.ts'
import { defineMethod } from '../method.ts'

/**
 * Returns the numbers of executable and queued transactions; those with a nonce gap before them or a fee cap below the
 * base fee are queued.
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
