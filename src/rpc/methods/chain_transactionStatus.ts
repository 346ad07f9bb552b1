import type { TransactionStatus } from '../../base/eventTypes.ts'
import { toWaitingStage } from '../../core/view/view.ts'
import { method } from '../method.ts'
import { hash32 } from '../params/params.ts'

/** Returns the stage of a transaction; on standard, a pre-confirmed one is pending (spec.md 27). */
export const chain_transactionStatus = method(
  [hash32],
  ({ viewed, read }, hash): TransactionStatus => {
    const place = viewed.findTransaction(hash)
    if (place !== undefined) return { status: 'Known', stage: place.sealed ? 'sealed' : 'preconfirmed' }
    const stage = read.mempool.stageOf(hash)
    if (stage !== undefined) return { status: 'Known', stage: toWaitingStage(stage) }
    const reason = read.mempool.drops.reasonOf(hash)
    if (reason === undefined) return { status: 'Unknown' }
    return { status: 'Unknown', stage: reason === 'replaced' ? 'replaced' : 'dropped' }
  },
  // The name on OP-Stack nodes.
  { aliases: ['base_transactionStatus'] },
)
