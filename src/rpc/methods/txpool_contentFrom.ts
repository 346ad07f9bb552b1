import { poolContentFrom } from '../format/format.ts'
import { method } from '../method.ts'
import { address } from '../params/params.ts'

/** Returns the waiting transactions of one sender by nonce, with executable and queued ones separate. */
export const txpool_contentFrom = method([address], ({ read }, sender) =>
  poolContentFrom(read.mempool.content(), sender),
)
