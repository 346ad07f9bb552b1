import { defineMethod } from '../method.ts'
import { address, count } from '../params/params.ts'

/**
 * Returns the hash of the transaction of a sender with this nonce, within the history; null if no block has one.
 *
 * @group Otterscan
 * @example ["$alice", 1]
 */
export const ots_getTransactionBySenderAndNonce = defineMethod({
  class: 'node',
  onFork: { reads: 'transaction', answer: 'reader' },
  params: [address, count],
  handler: ({ viewed }, sender, nonce) => {
    const place = viewed.findByNonce(sender, BigInt(nonce))
    return place === undefined ? null : place.block.transactions[place.index]!.hash
  },
})
