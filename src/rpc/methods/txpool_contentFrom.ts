import { poolContentFrom } from '../format/txpool.ts'
import { method } from '../method.ts'
import { address } from '../params/scalars.ts'

/** What waits of one sender, by nonce. */
export const txpool_contentFrom = method([address], ({ read }, sender) =>
  poolContentFrom(read.mempool.content(), sender),
)
