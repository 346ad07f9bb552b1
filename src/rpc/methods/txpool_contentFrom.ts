import { method } from '../method.ts'
import { address } from '../params.ts'
import { poolContentFrom } from '../txpool.ts'

/** What waits of one sender, by nonce. */
export const txpool_contentFrom = method([address], ({ services }, sender) =>
  poolContentFrom(services.mempool.content(), sender),
)
