/** A process that forks a chain and reads from it: `reader.ts URL BLOCK_HASH CACHE CONTRACT FIRST`. Prints what it has read. */
import { createChain, createManualClock } from '../../../src/index.ts'
import { readFork } from './readFork.ts'

const [url, block, cache, contract, first] = process.argv.slice(2)
const fork = { url: url!, block: block as `0x${string}`, cache: cache! }
const chain = await createChain({ fork, mining: 'manual', clock: createManualClock() })
const read = await readFork(chain, contract as `0x${string}`, Number(first))
await chain.close()
process.stdout.write(JSON.stringify(read))
