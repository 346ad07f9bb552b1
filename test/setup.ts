/** Sets the seed of the run for every property of fast-check, and outside full runs makes the oracle faster. */
import fc from 'fast-check'
import { FULL, SEED } from './full.ts'
import { shareCrypto } from './oracle.ts'

fc.configureGlobal({ seed: SEED })
if (!FULL) await shareCrypto()

// What chains load without waiting for it. A file that ended meanwhile would end the load, and later files could not load it.
await Promise.all([
  import('../src/ethereum/evm/engine/presealEngine.ts'),
  import('../src/ethereum/evm/jit/compiledCode.ts'),
  import('../src/rpc/fork/forwarding.ts'),
])
