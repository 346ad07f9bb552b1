/** Has every property of fast-check begin at the seed of the run. */
import fc from 'fast-check'
import { SEED } from './full.ts'

fc.configureGlobal({ seed: SEED })
