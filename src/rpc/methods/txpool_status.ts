import { quantity } from '../../primitives/bytes.ts'
import { method } from '../method.ts'

/** How many transactions wait: executable ones, and those behind a nonce gap or below the base fee. */
export const txpool_status = method([], ({ read }) => {
  const { pending, queued } = read.mempool.status()
  return { pending: quantity(pending), queued: quantity(queued) }
})
