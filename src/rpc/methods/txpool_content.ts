import { poolContent } from '../format/txpool.ts'
import { method } from '../method.ts'

/** Everything that waits, by sender and nonce. */
export const txpool_content = method([], ({ read }) => poolContent(read.mempool.content()))
