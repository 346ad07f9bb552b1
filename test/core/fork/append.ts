/** A process that adds answers to the cache in a folder: `append.ts FOLDER CHAIN_ID BLOCK_HASH WRITER COUNT`. */

import type { Hash } from '../../../src/base/types.ts'
import { openForkCache } from '../../../src/core/fork/cache.ts'

const [folder, chainId, blockHash, writer, count] = process.argv.slice(2)
const cache = await openForkCache(folder!)
await cache.load(BigInt(chainId!), blockHash as Hash)
for (let i = 0; i < Number(count); i++) {
  cache.put(`test_${writer}`, [i], `0x${`${i % 10}`.repeat(1 + ((i * 37) % 3000))}`)
  cache.put('eth_getCode', [writer, i], `0x60${'00'.repeat(100 + (i % 5))}`)
  // Each answer in a write of its own.
  await cache.flush()
}
await cache.close()
