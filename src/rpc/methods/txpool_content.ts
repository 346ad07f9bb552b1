import { method } from '../method.ts'
import { poolContent } from '../txpool.ts'

/** Everything that waits, by sender and nonce. */
export const txpool_content = method([], ({ services }) => poolContent(services.mempool.content()))
