import type { TransactionStatus } from '../../base/eventTypes.ts'
import { toWaitingStage } from '../../core/view/view.ts'
import { defineMethod } from '../method.ts'
import { hash32 } from '../params/params.ts'

/**
 * Returns the stage of a transaction (spec.md 27). On standard, a pre-confirmed transaction is pending.
 *
 * @group Transactions
 * @views `pending` for pre-confirmed transactions | all stages
 * @example ["$transaction"]
 */
export const chain_transactionStatus = defineMethod({
  class: 'node',
  onFork: { reads: 'transaction', answer: 'reader' },
  // The name on OP-Stack nodes.
  aliases: ['base_transactionStatus'],
  params: [hash32],
  handler: ({ viewed, read }, hash): TransactionStatus => {
    const place = viewed.findTransaction(hash)
    if (place !== undefined) return { status: 'Known', stage: place.sealed ? 'sealed' : 'preconfirmed' }
    const stage = read.mempool.stageOf(hash)
    if (stage !== undefined) return { status: 'Known', stage: toWaitingStage(stage) }
    const reason = read.mempool.drops.reasonOf(hash)
    if (reason === undefined) return { status: 'Unknown' }
    return { status: 'Unknown', stage: reason === 'replaced' ? 'replaced' : 'dropped' }
  },
})
