import { byNonce, toRpcTransaction } from '../format/format.ts'
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
  handler: ({ read }, sender) => {
    const { pending, queued } = read.mempool.content()
    return {
      pending: byNonce(pending.get(sender) ?? [], toRpcTransaction),
      queued: byNonce(queued.get(sender) ?? [], toRpcTransaction),
    }
  },
})
