/** Sets the seed of the run for every property of fast-check, and outside full runs makes the oracle faster. */
import fc from 'fast-check'
import { FULL, SEED } from './full.ts'
import { shareCrypto } from './oracle.ts'

fc.configureGlobal({ seed: SEED })
if (!FULL) await shareCrypto()
